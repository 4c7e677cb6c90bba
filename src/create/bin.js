#!/usr/bin/env node
// `npm create @accord-api <directory>` is `accord new <directory>`, from anywhere.
process.argv.splice(2, 0, 'new');
await import('@accord-api/platform/cli/bin');
