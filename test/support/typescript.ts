// Registers a TypeScript loader for dynamic imports such as that of codegen.ts. The `accord` command registers one;
// bundled tests have none.
import { register } from 'tsx/esm/api';

register();
