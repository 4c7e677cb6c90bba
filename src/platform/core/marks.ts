/** Finds the members of contracts and the variables that need a missing part. @module */

import type { DataModel } from '../database/client.js';
import type { AnyPart } from './application.js';
import type { Catalogue } from './contract/codes.js';
import type { OpenApiDocument } from './contract/document.js';
import { type RestOperation, takesKey, versionsOf } from './contract/openapi.js';
import { placeOf } from './contract/project-files.js';
import { hasQueries } from './contract/published.js';
import type { PartName } from './order.js';
import { type Config, VARIABLES_OF } from './variables.js';

interface Contracts {
  readonly document: OpenApiDocument;
  readonly operations: readonly RestOperation[];
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

/** The scheme of operators, which needs no account. */
const OPERATORS = 'metricsToken';

const MARKS: readonly Mark[] = [
  {
    ...{ part: 'observability', says: OPERATORS, file: 'openapi.yaml', line: /^ *metricsToken:/ },
    isIn: ({ document }) => OPERATORS in (document.components.securitySchemes ?? {}),
  },
  {
    ...{ part: 'limits', says: 'the response 429', file: 'openapi.yaml', line: /^ *["']?429["']?:/ },
    isIn: ({ operations }) => operations.some(({ operation }) => '429' in operation.responses),
  },
  {
    ...{ part: 'browsers', says: 'a cookie', file: 'openapi.yaml', line: /\bin: ["']?cookie\b/ },
    // A security scheme or a parameter.
    isIn: ({ document }) => JSON.stringify(document).includes('"in":"cookie"'),
  },
  {
    ...{ part: 'idempotency', says: 'Idempotency-Key', file: 'openapi.yaml', line: /\bname: ["']?idempotency-key\b/i },
    isIn: ({ operations }) => operations.some(takesKey),
  },
  {
    ...{ part: 'versions', says: 'several versions', file: 'openapi.yaml', line: /^ *x-(versions|deprecation):/ },
    isIn: ({ document }) => versionsOf(document).length > 1,
  },
  {
    ...{ part: 'live', says: 'type Subscription', file: 'schema.graphql', line: /^(extend )?type Subscription\b/ },
    isIn: ({ sdl }) => /^(extend )?type Subscription\b/m.test(sdl),
  },
  // Last, because an account may need other parts.
  {
    ...{ part: 'identity', says: 'a security scheme of accounts', file: 'openapi.yaml', line: /^ *securitySchemes:/ },
    isIn: ({ operations }) =>
      operations.some(({ security }) =>
        security.some((requirement) => Object.keys(requirement).some((scheme) => scheme !== OPERATORS)),
      ),
  },
  {
    ...{ part: 'identity', says: 'type Query', file: 'schema.graphql', line: /\btype\s+Query\b|\bquery\s*:/ },
    isIn: ({ sdl }) => hasQueries(sdl),
  },
];

/** @throws Error for a catalogue without a code of a part, and for a data model without a table of a part */
export function refuseMissingNeeds(parts: readonly AnyPart[], errors: Catalogue, { models }: DataModel): void {
  const stored = new Set(Object.values(models).map(({ table }) => table));
  for (const { name, codes = [], tables = [] } of parts) {
    const unknown = codes.find((code) => !Object.hasOwn(errors, code));
    if (unknown !== undefined)
      throw new Error(
        `The \`errors\` lack ${unknown}, with which the part ${name} answers. Run \`npx accord codegen\`.`,
      );
    const absent = tables.find((table) => !stored.has(table));
    if (absent !== undefined)
      throw new Error(
        `prisma/schema.prisma has no model of the table ${absent}, which the part ${name} uses. Run \`npx accord upgrade\`.`,
      );
  }
}

/** @throws Error for a contract or a variable that needs a part which the application leaves out, with the place */
export function refuseMissingParts(parts: readonly AnyPart[], contracts: Contracts, { given }: Config): void {
  const named = new Set(parts.map(({ name }) => name));
  const unlisted = contracts.document['x-parts']?.find((part) => part !== 'core' && !named.has(part as PartName));
  if (unlisted !== undefined) {
    const place = placeOf('openapi.yaml', /^x-parts:/);
    throw new Error(`openapi.yaml${place} names ${unlisted} in x-parts. Add ${unlisted}() to \`parts\`.`);
  }
  const missing = MARKS.find((mark) => !named.has(mark.part) && mark.isIn(contracts));
  if (missing !== undefined) {
    const { file, line, says, part } = missing;
    // The document of a part may declare it.
    const place = [file, `generated/${file}`].map((path) => [path, placeOf(path, line)]).find(([, at]) => at !== '');
    throw new Error(`${(place ?? [file]).join('')} declares ${says}. Add ${part}() to \`parts\`.`);
  }
  for (const [part, variables = []] of Object.entries(VARIABLES_OF))
    for (const variable of variables)
      if (given.includes(variable) && !named.has(part as PartName))
        throw new Error(`${variable}: needs a part that is left out. Unset it, or add ${part}() to \`parts\`.`);
}
