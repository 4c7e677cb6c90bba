import { handlersFunctionOf, pascalCase } from '../model/names.js';
import { docComment } from './typescript.js';

/**
 * Types that reject excess members of a reply. The compiler checks excess members only where a literal meets its type, so these
 * types walk the inferred type of each handler. The first member that the contract does not declare becomes the error message.
 */
export const CLOSED = `/** True for identical types. Ends the walk through a recursive schema. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Types without members to declare. */
type Plain = string | number | boolean | null | undefined | Uint8Array;

type KeysOf<Type> = Type extends unknown ? keyof Type : never;
type ItemOf<Type> = Type extends readonly (infer Item)[] ? Item : never;
type MemberOf<Type, Name> = Type extends unknown ? (Name extends keyof Type ? Type[Name] : never) : never;

/** The paths of all undeclared members; none for an object whose members the contract leaves open. */
type Surplus<Actual, Declared, Path extends string> =
  Same<Actual, Declared> extends true ? never
  : unknown extends Declared ? never
  : Actual extends Plain ? never
  : Actual extends readonly (infer Item)[] ? Surplus<Item, ItemOf<Declared>, \`\${Path}[]\`>
  : string extends keyof Actual ? never
  : SurplusMembers<Actual, Exclude<Declared, Plain | readonly unknown[]>, Path>;

type SurplusMembers<Actual, Declared, Path extends string> =
  string extends KeysOf<Declared> ? never
  : {
      [Name in keyof Actual & string]-?:
        // The member belongs to another literal of a union.
        [Actual[Name]] extends [undefined] ? never
        : Name extends KeysOf<Declared> ? Surplus<Actual[Name], MemberOf<Declared, Name>, \`\${Path}.\${Name}\`>
        : \`\${Path}.\${Name}\`;
    }[keyof Actual & string];

/** The declared replies with one of these statuses. */
type WithStatus<Declared, Status> = Declared extends { status: infer Own } ? (Own & Status extends never ? never : Declared) : never;
type SurplusOf<Reply, Declared> = Reply extends { status: infer Status } ? Surplus<Reply, WithStatus<Declared, Status>, 'reply'> : never;

type ReplyOf<Handler> =
  Handler extends Route<never, infer Reply> ? Reply
  : Handler extends (...args: never[]) => Promise<infer Reply> ? Reply
  : never;

/** Replaces the type of a handler without an operation, or with an undeclared reply, by a sentence that names the fault. */
export type Closed<Actual, Declared> = {
  [Name in keyof Actual]: Name extends keyof Declared
    ? [SurplusOf<ReplyOf<Actual[Name]>, ReplyOf<Declared[Name]>>] extends [never]
      ? unknown
      : \`'\${SurplusOf<ReplyOf<Actual[Name]>, ReplyOf<Declared[Name]>>}' is not in openapi.yaml\`
    : \`'\${Name & string}' is not an operationId of this tag in openapi.yaml\`;
};
`;

/** Returns the source of the function that takes the handlers of a tag. */
export function takerText(tag: string): string {
  const type = `${pascalCase(tag)}Handlers`;
  const comment = docComment([
    `Checks the handlers of \`${tag}\`: one for each operation, and no reply that the contract does not declare.`,
  ]);
  return `${comment}export const ${handlersFunctionOf(tag)} = <Actual extends ${type}>(handlers: Actual & Closed<Actual, ${type}>): ${type} => handlers;\n`;
}
