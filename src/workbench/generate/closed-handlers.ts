import { pascal, takerOf } from '../model/names.js';
import { docComment } from './typescript.js';

/**
 * What no type alone can say: excess members of what a function returns go unnoticed, because the compiler asks for them
 * only where a literal meets its type. So the handlers' own types are looked through, and the first thing that the
 * contract does not have becomes the sentence that a handler is asked to be.
 */
export const CLOSED = `/** Whether two types are the same one: those of a schema that holds itself would be looked through for ever. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** What has no members of its own to declare. */
type Plain = string | number | boolean | null | undefined | Uint8Array;

type KeysOf<Type> = Type extends unknown ? keyof Type : never;
type ItemOf<Type> = Type extends readonly (infer Item)[] ? Item : never;
type MemberOf<Type, Name> = Type extends unknown ? (Name extends keyof Type ? Type[Name] : never) : never;

/** The paths of all members that are not declared; of an object whose members no contract names, none. */
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
        // A member that is there in another of several literals.
        [Actual[Name]] extends [undefined] ? never
        : Name extends KeysOf<Declared> ? Surplus<Actual[Name], MemberOf<Declared, Name>, \`\${Path}.\${Name}\`>
        : \`\${Path}.\${Name}\`;
    }[keyof Actual & string];

/** Of the replies that are declared those with one of these statuses. */
type WithStatus<Declared, Status> = Declared extends { status: infer Own } ? (Own & Status extends never ? never : Declared) : never;
type SurplusOf<Reply, Declared> = Reply extends { status: infer Status } ? Surplus<Reply, WithStatus<Declared, Status>, 'reply'> : never;

type ReplyOf<Handler> =
  Handler extends Route<never, infer Reply> ? Reply
  : Handler extends (...args: never[]) => Promise<infer Reply> ? Reply
  : never;

/** Each handler that is no operation of its tag, or may answer what its operation does not declare, is asked to be a sentence that says so. */
export type Closed<Actual, Declared> = {
  [Name in keyof Actual]: Name extends keyof Declared
    ? [SurplusOf<ReplyOf<Actual[Name]>, ReplyOf<Declared[Name]>>] extends [never]
      ? unknown
      : \`'\${SurplusOf<ReplyOf<Actual[Name]>, ReplyOf<Declared[Name]>>}' is not in openapi.yaml\`
    : \`'\${Name & string}' is not an operationId of this tag in openapi.yaml\`;
};
`;

/** The function that a tag's file hands its handlers to, as source text. */
export function takerText(tag: string): string {
  const type = `${pascal(tag)}Handlers`;
  const comment = docComment([
    `The handlers of \`${tag}\`: one for each of its operations and nothing besides, and none that may answer more than is declared.`,
  ]);
  return `${comment}export const ${takerOf(tag)} = <Actual extends ${type}>(handlers: Actual & Closed<Actual, ${type}>): ${type} => handlers;\n`;
}
