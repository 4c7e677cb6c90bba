import { placedOperations } from '@accord-api/platform/contract/openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { extensionSchema } from '../model/extensions.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import type { Path } from '../model/yaml-source.js';
import { whereIn } from './schema-members.js';
import type { Where } from './side.js';

/** Says that something has no counterpart, whatever its name. */
export const NONE = 'none';

/** What `x-bridge` says beside a schema or an operation, or at the root for what openapi.yaml does not hold. */
export interface Override {
  /** The counterpart: a type; of an operation one root field or several, as in `Query.me`. */
  graphql?: string | string[];
  prisma?: string;
  /** At the root only: counterparts that openapi.yaml does not hold. */
  pairs?: { graphql: string; prisma: string }[];
  /** Members by their name here, with the name of their counterparts. */
  fields?: Record<string, { graphql?: string; prisma?: string }>;
  /** Members whose own members stand in their place in the others. */
  flatten?: string[];
  accept?: { difference: string; reason: string }[];
}

export interface Acceptance {
  difference: string;
  reason: string;
  where: Where;
}

export interface Overrides {
  /** That of a schema or an operation (no operationId begins with a capital); of the document without a name. */
  of: (name?: string) => Override;
  /** Where it stands. */
  whereOf: (name?: string) => Where;
  accepted: Acceptance[];
  /** What of them cannot be read. */
  faults: { where: Where; message: string }[];
}

const isSound = new Ajv2020({ allowUnionTypes: true }).compile<Override>(extensionSchema('x-bridge'));

/** Reads every `x-bridge` of a document: at its root, of its schemas and of its operations. */
export function readOverrides(source: OpenApiSource): Overrides {
  const { written: document } = source;
  const schemas = Object.entries(document.components?.schemas ?? {}).map(([name, { 'x-bridge': stated }]) => {
    return { name, path: ['components', 'schemas', name] as Path, stated };
  });
  const operations = placedOperations(document).map(({ operation, at }) => {
    return { name: operation.operationId, path: at, stated: operation['x-bridge'] };
  });
  const all = [{ name: '', path: [] as Path, stated: document['x-bridge'] }, ...schemas, ...operations]
    .filter(({ stated }) => stated !== undefined)
    .map((one) => ({ ...one, path: [...one.path, 'x-bridge'] }));
  const faults: Overrides['faults'] = [];
  const sound = all.flatMap(({ name, path, stated }) => {
    if (isSound(stated)) return [{ name, path, stated }];
    for (const { instancePath, message } of isSound.errors ?? []) {
      const below = instancePath.split('/').slice(1);
      faults.push({ where: whereIn(source, [...path, ...below], 'x-bridge'), message: `x-bridge ${message}.` });
    }
    return [];
  });
  const find = (name = '') => sound.find((one) => one.name === name);
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
