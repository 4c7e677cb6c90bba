import { createServer } from 'node:http';
import { listen } from './listening.js';

/** A trivial handler on node:http: the lower limit of any framework. */
const server = createServer((_request, response) => {
  const body = JSON.stringify({ greeting: 'Hello' });
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
});
listen(server);
