import type { Types } from './object-types.js';
import type { Required } from './required.js';

/**
 * Why a type or field that is new since the last commit got no stub, one sentence each.
 * @param required the fields of each type that need a resolver
 */
export function notesOn(types: Types, before: Types | undefined, required: Required): string[] {
  if (before === undefined) return [];
  return [...types].flatMap(([type, fields]) => {
    const old = before.get(type);
    if (old === undefined) {
      const given = 'needs no resolvers: its fields are read from what the parent gives.';
      const model = 'If it has a model of its own, name that under `mappers` in codegen.ts and run this again.';
      return required.get(type)?.size ? [] : [`${type} ${given} ${model}`];
    }
    const free = [...fields.keys()].filter((field) => !old.has(field) && !required.get(type)?.has(field));
    return free.map(
      (field) => `${type}.${field} needs no resolver: the model has it under this name and in this type.`,
    );
  });
}
