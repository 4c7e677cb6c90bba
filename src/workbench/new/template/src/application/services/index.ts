import type { PlatformServices } from 'accord';
import { booksService } from './books.js';

export type OwnServices = ReturnType<typeof ownServices>;

/** The business rules, over what the platform gives. */
export function ownServices({ client, statements, durableStream, ownedByAccounts }: PlatformServices) {
  const { entombThoseOf, ...books } = booksService({ client, statements, durableStream });
  ownedByAccounts({ entomb: entombThoseOf });
  return { books };
}
