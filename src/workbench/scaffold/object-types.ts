import { Kind, print } from 'graphql';
import type { SdlSource } from '../model/sdl-source.js';

/** The fields of each object type in the SDL's order, by name: their arguments and type as text. */
export type Types = Map<string, Map<string, string>>;

/** Without what is said of it, and so on one line. */
const bare = <Node extends { description?: unknown; directives?: unknown }>({
  description: _,
  directives: __,
  ...rest
}: Node) => rest;

/** The object types of a sound SDL, extensions left out as the generator does. */
export function objectTypes({ document }: SdlSource): Types {
  const definitions = document.definitions.filter((one) => one.kind === Kind.OBJECT_TYPE_DEFINITION);
  return new Map(
    definitions.map(({ name, fields = [] }) => {
      const signatures = fields.map((field): [string, string] => {
        const { arguments: args = [], ...rest } = bare(field);
        return [field.name.value, print({ ...rest, name: { kind: Kind.NAME, value: '' }, arguments: args.map(bare) })];
      });
      return [name.value, new Map(signatures)];
    }),
  );
}
