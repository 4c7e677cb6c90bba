import type { PrismaClient } from '../../src/platform/database/client.js';

const MODELS = ['user', 'revocation', 'signingKey', 'session', 'refreshToken'] as const;
const METHODS = ['findUnique', 'findFirst', 'findMany'] as const;

/** Notes every lookup of what authentication could ask for, as `user.findUnique`, until `restore` is called. */
export function watchLookups(client: PrismaClient): { asked: string[]; restore: () => void } {
  const asked: string[] = [];
  const undo = MODELS.flatMap((model) =>
    METHODS.map((method) => {
      const original = client[model][method] as (...args: unknown[]) => unknown;
      const noting = (...args: unknown[]) => {
        asked.push(`${model}.${method}`);
        return original(...args);
      };
      Object.assign(client[model], { [method]: noting });
      return () => Object.assign(client[model], { [method]: original });
    }),
  );
  return {
    asked,
    restore: () => {
      for (const one of undo) one();
    },
  };
}
