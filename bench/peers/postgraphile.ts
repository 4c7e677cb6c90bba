import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { listen } from './listening.js';

/** PostGraphile is made for Node 22, and needs of it this one function. */
Promise.withResolvers ??= function withResolvers<T>(): PromiseWithResolvers<T> {
  const functions: Partial<PromiseWithResolvers<T>> = {};
  const promise = new Promise<T>((resolve, reject) => Object.assign(functions, { resolve, reject }));
  return { ...functions, promise } as PromiseWithResolvers<T>;
};

/** PostGraphile, whose schema is that of the tables: the document that is asked of it names its fields as the others do. */
const pgl = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: process.env['DATABASE_URL'] as string, schemas: ['public'] })],
  grafserv: { watch: false },
  schema: { defaultBehavior: 'list' },
});
const server = createServer();
await pgl.createServ(grafserv).addTo(server);
listen(server);
