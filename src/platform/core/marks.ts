/** The words of the contracts that need a part, so that its absence can be named. @module */

import { readFileSync } from 'node:fs';
import { rootPath } from '../root.js';
import type { AnyPart } from './application.js';
import type { OpenApiDocument } from './contract/document.js';
import { type Operation, versionsOf } from './contract/openapi.js';
import type { PartName } from './order.js';

interface Contracts {
  readonly document: OpenApiDocument;
  readonly operations: readonly Operation[];
  readonly sdl: string;
}

interface Mark {
  readonly part: PartName;
  readonly says: string;
  readonly file: 'openapi.yaml' | 'schema.graphql';
  /** Finds the line in the file. */
  readonly line: RegExp;
  readonly isIn: (contracts: Contracts) => boolean;
}

const hasScheme = ({ document }: Contracts, name: string) => name in (document.components.securitySchemes ?? {});

const MARKS: readonly Mark[] = [
  {
    ...{ part: 'limits', says: 'the response 429', file: 'openapi.yaml', line: /^ *["']?429["']?:/ },
    isIn: ({ operations }) => operations.some(({ operation }) => '429' in operation.responses),
  },
  {
    ...{ part: 'browsers', says: 'cookieAuth', file: 'openapi.yaml', line: /^ *cookieAuth:/ },
    isIn: (contracts) => hasScheme(contracts, 'cookieAuth'),
  },
  {
    ...{ part: 'observability', says: 'metricsToken', file: 'openapi.yaml', line: /^ *metricsToken:/ },
    isIn: (contracts) => hasScheme(contracts, 'metricsToken'),
  },
  {
    ...{ part: 'versions', says: 'several versions', file: 'openapi.yaml', line: /^ *x-(versions|deprecation):/ },
    isIn: ({ document }) => versionsOf(document).length > 1,
  },
  {
    ...{ part: 'live', says: 'type Subscription', file: 'schema.graphql', line: /^(extend )?type Subscription\b/ },
    isIn: ({ sdl }) => /^(extend )?type Subscription\b/m.test(sdl),
  },
];

/** @throws Error for a contract that needs a part which the application leaves out, with the line */
export function refuseMissingParts(parts: readonly AnyPart[], contracts: Contracts): void {
  const named = new Set(parts.map(({ name }) => name));
  const missing = MARKS.find((one) => !named.has(one.part) && one.isIn(contracts));
  if (missing === undefined) return;
  const { file, line, says, part } = missing;
  throw new Error(`${file}${placeOf(file, line)} declares ${says}. Add ${part}() to \`parts\`.`);
}

/** Returns `:12` for the first line that matches; nothing for a contract of several files. */
function placeOf(file: string, line: RegExp): string {
  try {
    const at = readFileSync(rootPath(file), 'utf8')
      .split('\n')
      .findIndex((text) => line.test(text));
    return at < 0 ? '' : `:${at + 1}`;
  } catch {
    return '';
  }
}
