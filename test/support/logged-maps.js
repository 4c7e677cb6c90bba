// On SIGWINCH, begins or ends V8's log of new hidden classes, and prints their number so far. Needs `--log`, `--no-logfile-per-isolate`
// and `--logfile=FILE`. A log of the start would have 140 MB. `NormalizeCached` takes a class that exists.
import { readFileSync } from 'node:fs';
import v8 from 'node:v8';

const file = process.execArgv.find((flag) => flag.startsWith('--logfile='))?.slice('--logfile='.length) ?? '';
let isOn = false;
process.on('SIGWINCH', () => {
  isOn = !isOn;
  v8.setFlagsFromString(isOn ? '--log-maps' : '--no-log-maps');
  console.log(`maps=${readFileSync(file, 'latin1').match(/^map,(?!NormalizeCached)/gm)?.length ?? 0}`);
});
