import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parse, Source } from 'graphql';

/** Each parsed document has one `Source`; those that were made from now on, as long as somebody keeps them. */
const made = new Set<WeakRef<Source>>();
const language = createRequire(import.meta.url)('graphql/language/source.js') as { Source: typeof Source };
language.Source = class extends Source {
  constructor(...args: ConstructorParameters<typeof Source>) {
    super(...args);
    made.add(new WeakRef(this));
  }
};
const before = made.size;
parse('{ heard }');
if (made.size !== before + 1)
  throw new Error('The parser makes its sources otherwise: parsed texts cannot be counted.');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Drops all that nobody keeps, and counts the rest. */
function left(): number {
  collect();
  for (const one of made) if (one.deref() === undefined) made.delete(one);
  return made.size;
}

/** How many GraphQL texts that were parsed are still in memory, whoever keeps them. */
export async function parsedTexts(): Promise<number> {
  // What is gone may have kept others; what was looked at is kept until the next turn.
  for (let count = Number.POSITIVE_INFINITY; ; ) {
    await new Promise(setImmediate);
    const now = left();
    if (now === count) return now;
    count = now;
  }
}

/** Documents that mean the same, each with 7,000 tokens that nobody reads. */
export const heavy = (n: number, document = '{ me { id } }'): string => `#${n}\n${document}${'#\n'.repeat(7000)}`;
