import { stopAll, withSubscribers } from './accord.js';
import { WRITERS } from './data.js';
import { FLOWS } from './flows.js';
import { LONG, measureDeliveries, type Published, type Variant } from './measure.js';
import { peersOn } from './peers.js';
import type { Measurements } from './results.js';

const SOCKETS = 1000;
const MESSAGES = LONG ? 100 : 20;

/** Measures live messages, and the peers that publish in memory. */
export async function live(ours: Variant, database: string): Promise<Measurements> {
  const peer = peersOn(database);
  const others = [
    await peer('frame written once for all', 'limit', 'ws', { FRAME: 'once' }),
    await peer('ws broadcast', 'limit', 'ws'),
    await peer('graphql-ws', 'peer', 'graphql-ws'),
    await peer('mercurius', 'peer', 'mercurius-live'),
  ];
  const published: Published[] = [
    await withSubscribers(ours, WRITERS),
    ...others.map((other): Published => {
      const body = JSON.stringify({ channelId: 'bench', text: '{n}' });
      const publication = { url: `${other.server.url}/publish`, headers: {}, body };
      return { ...other, authorizations: [undefined], publication };
    }),
  ];
  const delivery = await measureDeliveries(FLOWS.delivery.title, published, { count: SOCKETS, messages: MESSAGES });
  await stopAll(others);
  return { delivery };
}
