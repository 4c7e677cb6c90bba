import { Redis } from 'ioredis';
import type { Names } from '../../core/names.js';
import type { Dependency } from '../../database/outages.js';
import { type SharedWindows, STEPS } from './rate-limit.js';

const TIMEOUT_MS = 250;
const RETRY_MS = 1000;

/**
 * Counts like `slidingWindows`, for all instances. Each key holds a Redis hash from the number of a step to its units. The script is atomic, and
 * uses the clock of Redis.
 */
const script = `
local span, limit, steps, units = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local step = span / steps
local clock = redis.call('TIME')
local now = clock[1] * 1000 + clock[2] / 1000
local current = math.floor(now / step)
local total, oldest = 0, current
local counts = redis.call('HGETALL', KEYS[1])
for i = 1, #counts, 2 do
  local at = tonumber(counts[i])
  if at <= current - steps or at > current then
    redis.call('HDEL', KEYS[1], counts[i])
  else
    total = total + counts[i + 1]
    oldest = math.min(oldest, at)
  end
end
if total < limit then
  redis.call('HINCRBY', KEYS[1], current, math.min(units, limit - total))
  redis.call('PEXPIRE', KEYS[1], math.ceil(span))
end
return { total + units, math.ceil((oldest + steps) * step - now) }
`;

interface RedisWithScript extends Redis {
  slide: (key: string, span: number, limit: number, steps: number, units: number) => Promise<[number, number]>;
}

/** Returns the counters of all instances. After an error, requests skip Redis for `RETRY_MS`. */
export function sharedWindows(url: string, { rates }: Pick<Names, 'rates'>, dependency: Dependency): SharedWindows {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: TIMEOUT_MS * 8,
    commandTimeout: TIMEOUT_MS,
    retryStrategy: () => RETRY_MS,
  }) as RedisWithScript;
  const onError = ({ message }: Error) => dependency.away(message);
  redis.on('error', onError);
  redis.on('ready', dependency.back);
  redis.defineCommand('slide', { numberOfKeys: 1, lua: script });
  let retryAt = 0;

  return {
    async count(key, span, limit, units = 1) {
      if (performance.now() < retryAt) return undefined;
      try {
        const [current, ttl] = await redis.slide(rates + key, span, limit, STEPS, units);
        dependency.back();
        return { current, ttl };
      } catch (error) {
        onError(error as Error);
        retryAt = performance.now() + RETRY_MS;
        return undefined;
      }
    },
    isReachable: () =>
      redis.ping().then(
        () => true,
        () => false,
      ),
    close: () => redis.disconnect(),
  };
}
