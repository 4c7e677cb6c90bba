import { setTimeout as delay } from 'node:timers/promises';
import { startMeasured } from './server.js';

/**
 * Measures a login during a burst of wrong ones: 180 from 20 networks at once, and a right one from another network.
 * Each round uses other networks, so that no limit of attempts applies.
 */
const ROUNDS = 5;
const WRONG = 180;
const NETWORKS = 20;

// A proxy provides the networks. The demo's accounts must be requested explicitly.
const server = await startMeasured({
  TRUST_PROXY: 'loopback',
  DEMO: 'on',
  RATE_LIMIT_ANONYMOUS: '100000',
  LOGIN_LIMIT: '1000',
});

async function login(network: string, email: string, password: string) {
  const started = performance.now();
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': network, 'x-forwarded-proto': 'https' };
  const body = JSON.stringify({ email, password });
  const answer = await fetch(`${server.url}/api/v1/auth/login`, { method: 'POST', headers, body });
  const { detail } = (await answer.json()) as { detail?: string };
  const answered = answer.status === 503 ? `503 (${detail})` : `${answer.status}`;
  return { answered, milliseconds: Math.round(performance.now() - started) };
}
const owner = (network: string) => login(network, 'ada@demo.accord.example', 'correct horse battery');

try {
  const alone = await owner('192.0.2.1');
  console.log(`alone   ${alone.answered} after ${alone.milliseconds} ms`);
  for (let round = 1; round <= ROUNDS; round++) {
    const started = performance.now();
    const burst = Array.from({ length: WRONG }, (_, i) =>
      login(`198.51.${round}.${i % NETWORKS}`, `nobody${i}@example.com`, 'a wrong password'),
    );
    await delay(20);
    const amid = await owner(`203.0.113.${round}`);
    const seen = new Map<string, number>();
    for (const { answered } of await Promise.all(burst)) seen.set(answered, (seen.get(answered) ?? 0) + 1);
    const counts = [...seen].map(([answered, count]) => `${count} × ${answered}`).join(', ');
    console.log(
      `burst ${round} ${amid.answered} after ${amid.milliseconds} ms; of ${WRONG} wrong ones from ${NETWORKS} networks ${counts}, ` +
        `in ${Math.round(performance.now() - started)} ms`,
    );
    // The service still works on abandoned logins.
    while ((await owner('192.0.2.1')).answered !== '200') await delay(1000);
  }
} finally {
  await server.stop();
}
