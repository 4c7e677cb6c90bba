// Draws places for mutants: `node --import tsx test/mutants/draw.ts [count] [seed]` prints lines of the platform and
// of the application. A developer then plants the nearest fault that somebody could make.
import { createHash } from 'node:crypto';
import { sourcesIn } from '../support/imports.js';

const [count = '60', seed = '36'] = process.argv.slice(2);
/** Comments, imports, types and closing brackets. */
const WITHOUT_BEHAVIOUR =
  /^(\/\/|\*|\/\*|import |\} from|export (type|\{|\*)|(export )?interface |[\])}]|readonly |\w+\??: [^,]*;$)/;

/** The rank of a line depends on its own text only, so that other changes of the code do not move the draw. */
const drawn = ['platform', 'application'].flatMap((folder) =>
  Object.entries(sourcesIn(`src/${folder}`)).flatMap(([name, text]) =>
    text.split('\n').flatMap((line, index) => {
      if (WITHOUT_BEHAVIOUR.test(line.trim()) || !/[=<>?!(]|return|\d/.test(line)) return [];
      const rank = createHash('sha256').update(`${seed} ${name} ${line}`).digest('hex');
      return [{ rank, place: `src/${folder}/${name}:${index + 1}`, line: line.trim() }];
    }),
  ),
);
drawn.sort((a, b) => (a.rank < b.rank ? -1 : 1));
for (const { place, line } of drawn.slice(0, Number(count))) console.log(`${place}  ${line}`);
