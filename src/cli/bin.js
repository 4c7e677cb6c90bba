#!/usr/bin/env node
// The sources are TypeScript: tsx is registered before the first of them is imported.
import module from 'node:module';
import { register } from 'tsx/esm/api';

// From Node 22 on, compiled code is kept for the next start.
module.enableCompileCache?.();
register();
await import('./main.ts');
