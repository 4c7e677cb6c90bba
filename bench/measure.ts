import { deepStrictEqual } from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { runTask, startClients } from './clients.js';
import type { Load, Outcome, Request } from './load.js';
import { type Figure, figureOf, median, rounded } from './results.js';
import type { Measured } from './server.js';
import type { Delivered, Publication, Subscribers } from './subscribers.js';

/**
 * The duration and the number of rounds. The short form takes under three minutes on an idle machine; the published
 * figures use the long one.
 */
export const LONG = process.env['BENCH'] === 'whole';
export const ROUNDS = Number(process.env['ROUNDS'] ?? (LONG ? 5 : 3));
export const SECONDS = Number(process.env['SECONDS'] ?? (LONG ? 1 : 0.3));
/**
 * A server is warmed up until it gets no faster, because the engine compiles frequent code: one of the first hundred
 * requests costs five times as much as one of the last ten thousand. Durations are milliseconds of the server's
 * processor time. The check begins after a number of answers or `before`, and ends when `steady` successive steps were
 * less than a tenth cheaper, at the latest after `most`.
 */
const WARM_UP = LONG
  ? { seconds: 0.25, answers: 10_000, before: 4000, step: 200, steady: 3, most: 6000 }
  : { seconds: 0.1, answers: 3000, before: 600, step: 100, steady: 2, most: 1200 };
/** So few that no service is overloaded. */
const CONNECTIONS = 8;

export interface Variant {
  name: string;
  kind: Figure['kind'];
  server: Measured;
}

export interface Asked extends Variant {
  requests: Request[];
}

/** Measures each variant once per round in rotating order, so that other load on the machine affects all of them. */
async function inTurn<V>(variants: readonly V[], measure: (variant: V, round: number) => Promise<void>) {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const variant of round % 2 === 0 ? variants : variants.toReversed()) await measure(variant, round);
  }
}

async function answerOf({ server, requests }: Asked, n: number): Promise<unknown> {
  const { method, path, headers = {}, body } = requests[0] as Request;
  const sent = body && { body: body.replace('{n}', String(n).padStart(9, '0')) };
  const type = body && { 'content-type': 'application/json' };
  const response = await fetch(server.url + path, { method, headers: { ...headers, ...type }, ...sent });
  const text = await response.text();
  if (!response.ok || text.includes('"errors":')) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Throws if two variants answer differently, because they would not do the same work. */
function mustAgree(flow: string, [first, ...rest]: { name: string; answer: unknown }[]): void {
  for (const { name, answer } of rest) {
    try {
      deepStrictEqual(answer, first?.answer);
    } catch (cause) {
      throw new Error(`${flow}: ${name} does not answer what ${first?.name} answers.`, { cause });
    }
  }
}

/** The number of requests to a server, and its processor time. */
interface Round {
  outcome: Outcome;
  cpu: number;
}

/** Sends requests until the server has reached its speed. */
async function warmUp(ask: () => Promise<Round>): Promise<void> {
  let worked = 0;
  const stepOf = async (milliseconds: number, answers = Number.POSITIVE_INFINITY) => {
    const step = { cpu: 0, answered: 0 };
    while (step.cpu < milliseconds && step.answered < answers) {
      const { outcome, cpu } = await ask();
      step.cpu += cpu;
      step.answered += outcome.answered;
    }
    worked += step.cpu;
    return step.cpu / step.answered;
  };
  let least = await stepOf(WARM_UP.before, WARM_UP.answers);
  for (let steady = 0; steady < WARM_UP.steady && worked < WARM_UP.most; ) {
    const cost = await stepOf(WARM_UP.step);
    steady = cost < least * 0.9 ? 0 : steady + 1;
    least = Math.min(least, cost);
  }
}

let last = 0;

/**
 * Measures the processor time and the latency of requests to each variant.
 * @param comparable reduces an answer to what is the same for the same data
 * @param value returns the figure of a round
 */
export async function measureRequests(
  flow: string,
  variants: readonly Asked[],
  {
    comparable = (answer) => answer,
    connections = CONNECTIONS,
    seconds = SECONDS,
    value = ({ answered }, cpu) => (1000 * cpu) / answered,
  }: {
    comparable?: (answer: unknown) => unknown;
    connections?: number;
    seconds?: number;
    value?: (outcome: Outcome, cpu: number) => number;
  } = {},
): Promise<Figure[]> {
  console.log(flow);
  const answers = [];
  for (const variant of variants) {
    last += 1;
    answers.push({ name: variant.name, answer: comparable(await answerOf(variant, last)) });
  }
  mustAgree(flow, answers);

  const clients = startClients('load.ts');
  const ask = async ({ server: { url }, requests, name }: Asked, seconds: number) => {
    const load: Load = { url, requests, connections, seconds, from: last + 1 };
    const outcome = await runTask<Outcome>(clients, load);
    last = outcome.next;
    const [[status, text] = []] = Object.entries(outcome.other);
    if (status !== undefined) throw new Error(`${flow}: ${name} answered ${status}\n${text}`);
    return outcome;
  };
  const round = async (variant: Asked, seconds: number): Promise<Round> => {
    const before = variant.server.cpu();
    const outcome = await ask(variant, seconds);
    return { outcome, cpu: variant.server.cpu() - before };
  };
  for (const variant of variants) await warmUp(() => round(variant, WARM_UP.seconds));
  const rounds = new Map(variants.map((variant): [Asked, { outcome: Outcome; value: number }[]] => [variant, []]));
  await inTurn(variants, async (variant) => {
    const { outcome, cpu } = await round(variant, seconds);
    rounds.get(variant)?.push({ outcome, value: value(outcome, cpu) });
  });
  clients.kill();
  return variants.map((variant) => {
    const all = rounds.get(variant) ?? [];
    const middle = (of: (outcome: Outcome) => number) => rounded(median(all.map(({ outcome }) => of(outcome))));
    const refused = all.reduce((sum, { outcome }) => sum + outcome.refused, 0);
    const figure: Figure = {
      ...figureOf(
        variant.name,
        variant.kind,
        all.map((sample) => sample.value),
      ),
      rate: Math.round(middle(({ answered, seconds }) => answered / seconds)),
      p50: middle(({ p50 }) => p50),
      p99: middle(({ p99 }) => p99),
      ...(refused > 0 && { refused }),
    };
    console.log(`  ${variant.name.padEnd(28)} ${figure.value}`);
    return figure;
  });
}

export interface Published extends Variant {
  authorizations: Subscribers['authorizations'];
  publication: Omit<Publication, 'messages'>;
}

/** Measures the processor time of each delivery of messages to many sockets, by variant. */
export async function measureDeliveries(
  flow: string,
  variants: readonly Published[],
  { count, messages }: { count: number; messages: number },
): Promise<Figure[]> {
  console.log(flow);
  const rounds = new Map(variants.map((variant): [Published, number[]] => [variant, []]));
  const subscribers = new Map(variants.map((variant) => [variant, startClients('subscribers.ts')]));
  const answers = [];
  for (const [variant, process] of subscribers) {
    const { server, authorizations, publication } = variant;
    const open: Subscribers = { url: server.url, count, channelId: 'bench', authorizations };
    await runTask(process, { open });
    const { data } = await runTask<Delivered>(process, { publish: { ...publication, messages } });
    const { messageAdded } = data as { messageAdded: { id: string; text: string } };
    answers.push({ name: variant.name, answer: { messageAdded: { ...messageAdded, id: typeof messageAdded.id } } });
  }
  mustAgree(flow, answers);
  await inTurn(variants, async (variant) => {
    const before = variant.server.cpu();
    await runTask<Delivered>(subscribers.get(variant) as ChildProcess, {
      publish: { ...variant.publication, messages },
    });
    rounds.get(variant)?.push((1000 * (variant.server.cpu() - before)) / (count * messages));
  });
  for (const process of subscribers.values()) process.kill();
  return variants.map((variant) => {
    const figure = figureOf(variant.name, variant.kind, rounds.get(variant) ?? []);
    console.log(`  ${variant.name.padEnd(28)} ${figure.value}`);
    return figure;
  });
}

/** Loads a server in the background until `stop` is called. */
export function burden(load: Omit<Load, 'seconds' | 'from'>): { stop: () => void } {
  const clients = startClients('load.ts');
  clients.send({ ...load, seconds: 3600, from: 1 } satisfies Load);
  return { stop: () => void clients.kill() };
}
