// What imports a source by its address, as generation does with codegen.ts, needs what reads TypeScript: the `accord` command
// brings it, and where the tests run as a bundle, nothing else does.
import { register } from 'tsx/esm/api';

register();
