import { queryObjects } from 'node:v8';
import { Source } from 'graphql';

/** How many GraphQL texts that were parsed are still in memory, whoever keeps them: each parsed document has one `Source`. */
export const parsedTexts = (): number => queryObjects(Source as never, { format: 'count' }) as unknown as number;

/** Documents that mean the same, each with 7,000 tokens that nobody reads. */
export const heavy = (n: number, document = '{ me { id } }'): string => `#${n}\n${document}${'#\n'.repeat(7000)}`;
