import { setTimeout as delay } from 'node:timers/promises';
import { DEMO, startMeasured } from './server.js';

/**
 * Compares hostile bodies with harmless ones of the same size: at most ten times the processor time, and an answer of
 * at most 16 KiB (docs/decisions.md, "Failures").
 */
const SIZE = 62_000;
const REPEATS = 20;

const text = (length: number, unit = 'a') => unit.repeat(Math.floor(length / unit.length));
const many = (make: (index: number) => string, length = SIZE): string => {
  const made: string[] = [];
  for (let left = length; left > 0; left -= (made.at(-1)?.length ?? 0) + 1) made.push(make(made.length));
  return made.join(',');
};
/** Nested objects under a long name, and a repeated name in the innermost. */
const nested = () => {
  const name = text(300);
  return `${`{"${name}":`.repeat(90)}{${many(() => '"a":1', SIZE - 27_500)}}${'}'.repeat(90)}`;
};
const operation = (query: string, variables?: object) => JSON.stringify({ query, variables });
const CREATE = 'mutation($input: CreateUserInput!) { createUser(input: $input) { id } }';

const bodies: Record<string, { method: string; path: string; harmless: string; hostile: Record<string, string> }> = {
  login: {
    method: 'POST',
    path: '/api/v1/auth/login',
    harmless: `{"email":"a@example.com","password":"${text(SIZE)}"}`,
    hostile: {
      'duplicates, nested': nested(),
      duplicates: `{${many(() => '"a":1')}}`,
      'unknown members': `{"email":1,"password":1,${many((index) => `"a${index}":1`)}}`,
      'endless numbers': `[${many(() => '1e999')}]`,
    },
  },
  PATCH: {
    method: 'PATCH',
    path: '/api/v1/users/1',
    harmless: `{"name":"${text(SIZE)}"}`,
    hostile: {
      'text that cannot be stored': `{${many((index) => `"a${index}":"\\u0000"`)}}`,
      'the same, under long names': `{"${text(20_000)}":{"${text(20_000)}":[${many(() => '"\\u0000"', 20_000)}]}}`,
      'unknown members': `{${many((index) => `"a${index}":1`)}}`,
    },
  },
  GraphQL: {
    method: 'POST',
    path: '/graphql',
    harmless: operation('{ me { id } }', { text: text(SIZE) }),
    hostile: {
      'ten times invented fields': `[${Array.from({ length: 10 }, () => operation(`{ ${many((index) => `a${index}`, 5800)} }`)).join(',')}]`,
      'one invented field': operation(`{ ${text(SIZE)} }`),
      'lines before invented fields': operation(
        `{ ${text((SIZE - 5000) / 2, '\n')} ${many((index) => `a${index}`, 4800)} }`,
      ),
      'lines before failing fields': operation(
        `{ users(limit: 100) { ${text((SIZE - 200) / 2, '\n')} posts(limit: 0) { id } } }`,
      ),
      'unknown members of an input': operation(CREATE, {
        input: Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`member${index}`, 1])),
      }),
      'text that cannot be stored': operation(CREATE, {
        input: { name: text(9000, '\u0000'), email: 'a', role: 'ADMIN' },
      }),
      'duplicates, nested': nested(),
    },
  },
};

const server = await startMeasured({
  RATE_LIMIT: '100000000',
  RATE_LIMIT_ANONYMOUS: '100000000',
  RATE_CEILING: '1000000000',
  LOGIN_LIMIT: '100000000',
});

interface Cost {
  /** Milliseconds of processor time. */
  cpu: number;
  /** The size of the answer. */
  bytes: number;
}

/** Measures one request. Repeats it while the service is overloaded. */
async function costOf(method: string, path: string, body: string): Promise<Cost> {
  const headers = { authorization: DEMO, 'content-type': 'application/json' };
  const total = { cpu: 0, bytes: 0 };
  for (let sent = 0; sent < REPEATS; ) {
    const before = server.cpu();
    const answer = await fetch(server.url + path, { method, headers, body });
    const text = await answer.text();
    const after = server.cpu();
    if (text.includes('UNAVAILABLE')) {
      await delay(500);
      continue;
    }
    total.cpu += after - before;
    total.bytes = Buffer.byteLength(text);
    sent++;
  }
  return { cpu: total.cpu / REPEATS, bytes: total.bytes };
}

try {
  for (const [where, { method, path, harmless, hostile }] of Object.entries(bodies)) {
    await costOf(method, path, harmless);
    const usual = await costOf(method, path, harmless);
    for (const [what, body] of Object.entries({ harmless, ...hostile })) {
      const { cpu, bytes } = await costOf(method, path, body);
      const times = (cpu / Math.max(usual.cpu, 10 / REPEATS)).toFixed(1).padStart(5);
      console.log(
        `${where.padEnd(8)} ${what.padEnd(28)} ${String(body.length).padStart(6)} bytes  ` +
          `${cpu.toFixed(1).padStart(6)} ms  ${times} times  ${String(bytes).padStart(6)} bytes answered`,
      );
    }
  }
} finally {
  await server.stop();
}
