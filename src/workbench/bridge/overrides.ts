import { operationEntries } from '@accord-api/platform/contract/openapi';
import type { Keys } from '@accord-api/platform/contract/references';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { extensionSchema } from '../model/extensions.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import type { Contract, Contracts, Location, Named } from './contract.js';
import { locationOf } from './read-openapi.js';

/** The `x-bridge` of a schema, of an operation, or of the root for types that openapi.yaml does not have. */
export interface Override {
  /** The counterpart, or `none`: a type; for an operation one root field or several, as in `Query.me`. */
  graphql?: string | string[];
  prisma?: string;
  pairs?: { graphql: string; prisma: string }[];
  /** The names of counterparts, by the name of a member. */
  fields?: Record<string, { graphql?: string; prisma?: string }>;
  /** Members that the other documents replace by the members of their type. */
  flatten?: string[];
  accept?: { difference: string; reason: string }[];
}

export interface Acceptance {
  difference: string;
  reason: string;
  location: Location;
}

export interface Overrides {
  /** Returns the override of a schema or an operation, or of the root for ''. */
  of: (name: string) => Override;
  accepted: Acceptance[];
  /** Overrides that do not match their schema, or that name something unknown. */
  faults: { location: Location; message: string }[];
}

const isValid = new Ajv2020({ allowUnionTypes: true }).compile<Override>(extensionSchema('x-bridge'));

const namesOf = (...lists: readonly Named[][]) => ['none', ...lists.flat().map(({ name }) => name)];

/** Returns the names in an override that do not exist. */
function unknownNames(name: string, override: Override, { openapi, graphql, prisma }: Contracts): string[] {
  const { graphql: field = [], prisma: model = [], pairs = [], flatten = [], fields = {} } = override;
  const known = ({ types, enumerations, operations }: Contract) => namesOf(types, enumerations, operations);
  const members = namesOf(openapi.types.find((one) => one.name === name)?.members ?? []);
  const missing = (names: string[], existing: string[]) => names.filter((one) => !existing.includes(one));
  return [
    ...missing([field, pairs.map((one) => one.graphql)].flat(2), known(graphql)).map(
      (one) => `${one} of schema.graphql`,
    ),
    ...missing([model, pairs.map((one) => one.prisma)].flat(2), known(prisma)).map((one) => `${one} of schema.prisma`),
    ...missing([...flatten, ...Object.keys(fields)], members).map((one) => `${name}.${one}`),
  ];
}

export function readOverrides(source: OpenApiSource, contracts: Contracts): Overrides {
  const { written: document } = source;
  const owners: [name: string, path: Keys, stated: unknown][] = [
    ['', [], document['x-bridge']],
    ...Object.entries(document.components?.schemas ?? {}).map(
      ([name, schema]) => [name, ['components', 'schemas', name], schema['x-bridge']] as [string, Keys, unknown],
    ),
    ...operationEntries(document).map(
      ({ operation, at }) => [operation.operationId, at, operation['x-bridge']] as [string, Keys, unknown],
    ),
  ];
  const valid = new Map<string, Override>();
  const accepted: Acceptance[] = [];
  const faults: Overrides['faults'] = [];
  for (const [name, owner, stated] of owners) {
    const path = [...owner, 'x-bridge'];
    if (stated === undefined) continue;
    if (!isValid(stated)) {
      for (const { instancePath, message } of isValid.errors ?? []) {
        const location = locationOf(source, [...path, ...instancePath.split('/').slice(1)], 'x-bridge');
        faults.push({ location, message: `x-bridge ${message}.` });
      }
      continue;
    }
    valid.set(name, stated);
    for (const unknown of unknownNames(name, stated, contracts)) {
      const message = `x-bridge names ${unknown}, which does not exist.`;
      faults.push({ location: locationOf(source, path, 'x-bridge'), message });
    }
    for (const [index, one] of (stated.accept ?? []).entries())
      accepted.push({
        ...one,
        location: locationOf(source, [...path, 'accept', index, 'difference'], 'accepts', false),
      });
  }
  return { of: (name) => valid.get(name) ?? {}, accepted, faults };
}
