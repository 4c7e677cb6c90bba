import type { PlatformServices } from 'accord';
// <books>
import { booksService } from './books.js';
// </books>

export type OwnServices = ReturnType<typeof ownServices>;

/** The business rules, over what the platform gives. */
// <books>
export function ownServices({ client, statements, durableStream, ownedByAccounts }: PlatformServices) {
  const { entombThoseOf, ...books } = booksService({ client, statements, durableStream });
  ownedByAccounts({ entomb: entombThoseOf });
  return { books };
}
// </books>
// <empty> export const ownServices = (_platform: PlatformServices) => ({});
