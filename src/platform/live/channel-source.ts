/**
 * What `messageAdded` subscribed to. graphql takes it for a stream of events; the socket, which knows better, has the channel's
 * messages executed once for all who select the same (`subscriptions.ts`), and nobody ever iterates it.
 */
export class ChannelSource implements AsyncIterable<never> {
  readonly channelId: string;
  /** The id after which it begins; undefined: with what is added from now on. */
  readonly since: number | undefined;

  constructor(channelId: string, since: number | undefined) {
    this.channelId = channelId;
    this.since = since;
  }

  [Symbol.asyncIterator](): never {
    throw new Error('A channel is followed, not iterated.');
  }
}
