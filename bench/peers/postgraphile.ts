import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { listen } from './listening.js';

/** PostGraphile requires Node 22, but uses only this function of it. */
Promise.withResolvers ??= function withResolvers<T>(): PromiseWithResolvers<T> {
  const functions: Partial<PromiseWithResolvers<T>> = {};
  const promise = new Promise<T>((resolve, reject) => Object.assign(functions, { resolve, reject }));
  return { ...functions, promise } as PromiseWithResolvers<T>;
};

/** PostGraphile with the schema of the tables. The document aliases its fields to the names of the other variants. */
const pgl = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: process.env['DATABASE_URL'] as string, schemas: ['public'] })],
  grafserv: { watch: false },
  schema: { defaultBehavior: 'list' },
});
const server = createServer();
await pgl.createServ(grafserv).addTo(server);
listen(server);
