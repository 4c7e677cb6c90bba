// As the commands have it.
import '../../src/workbench/cli/sparing-compiler.js';
