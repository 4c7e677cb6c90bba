import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getIntrospectionQuery, parse, validate } from 'graphql';
import { WebSocket } from 'ws';
import { policy } from '../generated/policy.js';
import { resolvers } from '../src/application/graphql/resolvers.js';
import { models } from '../src/application/models.js';
import { notWritten } from '../src/platform/core/calls/errors.js';
import { tokensOfAll } from '../src/platform/core/graphql/documents.js';
import { checkDocument } from '../src/platform/core/graphql/limits.js';
import { executableSchema } from '../src/platform/core/graphql/schema.js';
import { many } from '../test/support/many.js';
import { schemaServices } from '../test/support/schema-services.js';
import { DEMO, startMeasured } from './server.js';

/**
 * Measures the memory and the event loop time that anonymous callers and hostile documents cost the server
 * (docs/decisions.md, "Limits"), and the figures behind the weights of documents.
 */
const BATCHES = 130;
const LIMITS = { depth: 10, complexity: 5000, aliases: 30, directives: 50, tokens: 2000, subscribe: 16_384 };

const fragments = (count: number, body: (n: number) => string) =>
  `{ me { ${many(count, (n) => `...f${n}`)} } } ${many(count, (n) => `fragment f${n} on User{${body(n)}}`)}`;

const server = await startMeasured({
  RATE_LIMIT: '100000000',
  RATE_LIMIT_ANONYMOUS: '100000000',
  RATE_CEILING: '1000000000',
});
const mebibytes = () => `${Math.round(server.rss())} MiB`;

async function post(body: unknown, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return response.text();
}

/** Sends batches of ten distinct documents of maximum size. */
async function batches(who: string, headers: Record<string, string>): Promise<void> {
  const document = (n: number) => ({ query: `{ me { id } x${n} ${'a '.repeat(1980)} }` });
  await post(document(0), headers);
  const [before, cpu] = [mebibytes(), server.cpu()];
  for (let batch = 0; batch < BATCHES; batch++) {
    await post(
      Array.from({ length: 10 }, (_, n) => document(batch * 10 + n)),
      headers,
    );
  }
  const each = ((server.cpu() - cpu) / BATCHES).toFixed(1);
  console.log(
    `${who.padEnd(10)} ${BATCHES} batches of ten: ${before} before, ${mebibytes()} after; ${each} ms CPU each`,
  );
}

/** Sends a document whose fragments repeat each other, alone and ten times in a batch. */
async function repeats(who: string, headers: Record<string, string>): Promise<void> {
  const query = (n: number) => ({ query: `${fragments(140, () => 'id')} #${n}` });
  for (const size of [1, 10]) {
    const cpu = server.cpu();
    for (let round = 0; round < 10; round++) {
      await post(
        Array.from({ length: size }, (_, n) => query(round * 10 + n)),
        headers,
      );
    }
    const each = ((server.cpu() - cpu) / 10).toFixed(1);
    console.log(`${who.padEnd(10)} ${size} of 140 fragments that repeat each other: ${each} ms CPU`);
  }
}

/** Measures the validation of documents within and beyond the limits. */
function validation(): void {
  const schema = executableSchema(readFileSync('schema.graphql', 'utf8'), resolvers, {
    policy,
    services: schemaServices(models),
    ofParts: { 'Query.me': notWritten },
  });
  const documents = {
    'fragments that repeat each other': fragments(140, () => 'id'),
    'fragments that repeat as much as they may': fragments(31, () => 'id'),
    'fragments that are compared and differ': fragments(215, (n) => `x${n}`),
    'fields beside fragments': `{ me { ${many(900, (n) => `x${n}`)} ${many(100, (n) => `...f${n}`)} } } ${many(100, (n) => `fragment f${n} on User{y${n}}`)}`,
    'fragments that are not there': `{ me { ${many(980, (n) => `...f${n}`)} } }`,
    'one name': `{ ${'__typename '.repeat(1998)} }`,
  };
  for (const [what, text] of Object.entries(documents)) {
    const document = parse(text, { maxTokens: LIMITS.tokens });
    const spent = (work: () => unknown) => {
      const times = Array.from({ length: 5 }, () => {
        const start = process.cpuUsage();
        work();
        const { user, system } = process.cpuUsage(start);
        return (user + system) / 1000;
      });
      return Math.min(...times).toFixed(1);
    };
    const limits = spent(() => checkDocument(document, LIMITS));
    const verdict = checkDocument(document, LIMITS).length > 0 ? 'refused before' : 'is';
    console.log(`${what}: limits ${limits} ms; validation ${spent(() => validate(schema, document))} ms, ${verdict}`);
  }
}

/** Opens subscriptions of one user with the longest document. */
async function longestDocuments(): Promise<void> {
  const text = 'subscription($channelId: ID!) { messageAdded(channelId: $channelId) { id } }';
  const query = `${text}#${'x'.repeat(LIMITS.subscribe - text.length - 1)}`;
  const [before, sockets] = [server.rss(), 10];
  for (let socket = 0; socket < sockets; socket++) {
    const client = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      headers: { authorization: DEMO },
    });
    await once(client, 'open');
    client.send('{"type":"connection_init"}');
    await once(client, 'message');
    for (let id = 0; id < 100; id++) {
      const payload = { query, variables: { channelId: `channel-${id}` } };
      client.send(JSON.stringify({ type: 'subscribe', id: `${id}`, payload }));
    }
    client.send('{"type":"ping"}');
    await once(client, 'message');
  }
  const each = ((server.rss() - before) * 1024) / (sockets * 100);
  console.log(`${sockets * 100} subscriptions that hold 16 KiB: ${each.toFixed(0)} KiB each`);
}

/** Measures the bytes of memory per token of parsed documents. */
function weights(): void {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  const shapes: Record<string, (n: number) => string> = {
    fields: (n) => `{ ${'__typename '.repeat(1990)} a${n} }`,
    nested: (n) => `{ ${'a { '.repeat(600)} a${n} ${'}'.repeat(601)}`,
    fragments: (n) => `${fragments(140, () => 'id')} #${n}`,
    introspection: (n) => `${getIntrospectionQuery()} #${n}`,
    comments: (n) => `{ a${n} } ${'#\n'.repeat(8000)}`,
  };
  const heap = () => {
    for (let round = 0; round < 3; round++) collect();
    return process.memoryUsage().heapUsed;
  };
  const weigh = (text: (n: number) => string) => {
    const texts = Array.from({ length: 300 }, (_, n) => text(n));
    const before = heap();
    const documents = texts.map((text) => parse(text));
    const bytes = heap() - before;
    return bytes / tokensOfAll(...documents);
  };
  for (const [what, text] of Object.entries(shapes)) {
    weigh(text);
    console.log(`${what}: ${Math.round(weigh(text))} bytes for a token`);
  }
}

weights();
validation();
try {
  await batches('strangers', {});
  await batches('a caller', { authorization: DEMO });
  await repeats('strangers', {});
  await repeats('a caller', { authorization: DEMO });
  await delay(5000); // it may have shed load
  await longestDocuments();
} finally {
  await server.stop();
}
