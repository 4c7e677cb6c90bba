import { placedOperations } from '@accord-api/platform/contract/openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { extensionSchema } from '../model/extensions.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import type { Path } from '../model/yaml-source.js';
import { whereIn } from './openapi-side.js';
import type { Where } from './sides.js';

/** The `x-bridge` of a schema or an operation, or of the root for types that openapi.yaml does not have. */
export interface Override {
  /** The counterpart, or `none`: a type; for an operation one root field or several, as in `Query.me`. */
  graphql?: string | string[];
  prisma?: string;
  /** At the root only. */
  pairs?: { graphql: string; prisma: string }[];
  /** The names of counterparts by the name of a member. */
  fields?: Record<string, { graphql?: string; prisma?: string }>;
  /** Members that the other documents replace by the members of their type. */
  flatten?: string[];
  accept?: { difference: string; reason: string }[];
}

export interface Acceptance {
  difference: string;
  reason: string;
  where: Where;
}

export interface Overrides {
  /** Returns the override of a schema or an operation, whose names differ in their first letter; of the root for ''. */
  of: (name: string) => Override;
  whereOf: (name: string) => Where;
  accepted: Acceptance[];
  /** The overrides that do not match their schema. */
  faults: { where: Where; message: string }[];
}

const isSound = new Ajv2020({ allowUnionTypes: true }).compile<Override>(extensionSchema('x-bridge'));

/** Reads every `x-bridge` of a document. */
export function readOverrides(source: OpenApiSource): Overrides {
  const { written: document } = source;
  const owners: [name: string, path: Path, stated: unknown][] = [
    ['', [], document['x-bridge']],
    ...Object.entries(document.components?.schemas ?? {}).map(
      ([name, schema]) => [name, ['components', 'schemas', name], schema['x-bridge']] as [string, Path, unknown],
    ),
    ...placedOperations(document).map(
      ({ operation, at }) => [operation.operationId, at, operation['x-bridge']] as [string, Path, unknown],
    ),
  ];
  const faults: Overrides['faults'] = [];
  const sound = owners.flatMap(([name, owner, stated]) => {
    const path = [...owner, 'x-bridge'];
    if (stated === undefined) return [];
    if (isSound(stated)) return [{ name, path, stated }];
    for (const { instancePath, message } of isSound.errors ?? []) {
      const where = whereIn(source, [...path, ...instancePath.split('/').slice(1)], 'x-bridge');
      faults.push({ where, message: `x-bridge ${message}.` });
    }
    return [];
  });
  const find = (name: string) => sound.find((one) => one.name === name);
  return {
    of: (name) => find(name)?.stated ?? {},
    whereOf: (name) => whereIn(source, find(name)?.path ?? [], 'x-bridge'),
    accepted: sound.flatMap(({ path, stated: { accept = [] } }) =>
      accept.map((one, index) => ({
        ...one,
        where: whereIn(source, [...path, 'accept', index, 'difference'], 'accepts', false),
      })),
    ),
    faults,
  };
}
