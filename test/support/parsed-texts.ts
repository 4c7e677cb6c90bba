import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parse, Source } from 'graphql';

/** The `Source` of each document that was parsed since this module was loaded. */
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

/** Removes collected sources and returns the number of others. */
function left(): number {
  collect();
  for (const one of made) if (one.deref() === undefined) made.delete(one);
  return made.size;
}

/** Returns the number of parsed GraphQL texts that are still in memory. */
export async function parsedTexts(): Promise<number> {
  // A collected text may have referenced another one, and a dereferenced text is kept until the next turn of the event
  // loop.
  for (let count = Number.POSITIVE_INFINITY; ; ) {
    await new Promise(setImmediate);
    const now = left();
    if (now === count) return now;
    count = now;
  }
}

/** Returns equivalent documents with 7,000 ignored tokens each. */
export const heavy = (n: number, document = '{ me { id } }'): string => `#${n}\n${document}${'#\n'.repeat(7000)}`;
