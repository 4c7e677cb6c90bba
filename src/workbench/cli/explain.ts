import { paint, printJson, Unable } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import type { Named } from '../bridge/contract.js';
import type { Pairs } from '../bridge/pairs.js';
import type { Explanation, Part } from '../explain/explain.js';
import type { Contracts } from '../model/contracts.js';
import type { CodeLine } from '../model/touched-code.js';
import { rejectProblems } from './reject-problems.js';

const DESCRIPTION = `
Shows a published operation by its operationId: permissions, parameters, body and responses, each with its place in openapi.yaml or
the default that adds it; its handler, target and tests; and its counterparts in GraphQL and the database. Shows the same for a field of
schema.graphql or a member of a schema, as Type.field.`;

interface Options {
  root: string;
  json: boolean;
}

const partOf = ({ name, location: { file, line, column, text } }: Named, label = name): Part => ({
  name: label,
  says: text === label ? '' : text,
  at: { file, line, column },
});

/** Returns the counterparts of an operation, a root field or a member of a type in the other documents. */
function counterparts(name: string, schemas: ReadonlySet<string>, { operations, types }: Pairs): Part[] {
  const ofOperations = operations.flatMap(({ rest, field }) =>
    rest.name === name ? [partOf(field)] : field.name === name ? [partOf(rest)] : [],
  );
  const ofSchemas = types
    .filter(({ sides }) => sides.openapi !== undefined && schemas.has(sides.openapi.name))
    .flatMap(({ sides }) =>
      (['graphql', 'prisma'] as const).flatMap((side) => (sides[side] === undefined ? [] : [partOf(sides[side])])),
    );
  const [owner = '', member = ''] = name.split('.');
  const ofMembers = types
    .filter(({ sides }) => Object.values(sides).some((type) => type.name === owner))
    .flatMap(({ sides }) => Object.values(sides))
    .flatMap((type) =>
      type.members
        .filter(({ name: own, key }) => member !== '' && [own, key].includes(member))
        .map((one) => partOf(one, `${type.name}.${one.name}`)),
    );
  return [...ofOperations, ...ofSchemas, ...ofMembers];
}

async function explained(root: string, contracts: Contracts, name: string): Promise<Explanation | undefined> {
  const { explainField, explainMember, explainOperation } = await import('../explain/explain.js');
  const { openapi, schema } = contracts;
  const isField = name.includes('.');
  const operation = explainOperation(openapi, name);
  const found = operation?.explanation ?? explainField(schema, name) ?? explainMember(openapi, name);
  if (found === undefined) return undefined;

  const [{ touched }, { bridge }] = await Promise.all([
    import('../model/touched-code.js'),
    import('../bridge/bridge.js'),
  ]);
  const side = isField ? ('graphql' as const) : ('rest' as const);
  const address = found.what.replaceAll(/\{[^{}]*\}/g, '{}');
  const [code] = await touched(root, [{ side, elements: [name] }], new Map([[name, address]]));
  const lines = (all: readonly CodeLine[] = []): Part[] =>
    all.map(({ file, line, name: what, target = '' }) => ({ name: what, says: target, at: { file, line, column: 1 } }));
  const { pairs } = bridge(contracts);
  const own = { file: found.at.file, line: found.at.line };
  const others = counterparts(name, operation?.schemas ?? new Set(), pairs).filter(
    ({ at }) => at?.file !== own.file || at.line !== own.line,
  );
  return {
    ...found,
    sections: [
      ...found.sections,
      { title: 'Handlers', parts: lines([...(code?.handlers ?? []), ...(code?.services ?? [])]) },
      { title: 'Tests', parts: lines(code?.tests) },
      { title: 'Counterparts', parts: others },
    ],
  };
}

const explainCommand: Subcommand = (command) => {
  command
    .description(DESCRIPTION.trim().replaceAll('\n', ' '))
    .argument('<name>', 'an operationId, or Type.field')
    .option('--json', 'print JSON for programs', false)
    .action(async (name: string) => {
      const { root, json } = command.optsWithGlobals<Options>();
      const { readContracts } = await import('../model/contracts.js');
      const { check } = await import('../model/check.js');
      const contracts = await readContracts(root, ['openapi', 'schema', 'prisma'], 'one');
      rejectProblems(await check(contracts));
      const found = await explained(root, contracts, name);
      if (found === undefined) {
        const ids = contracts.openapi.operations.map(({ operationId }) => operationId).join(', ');
        throw new Unable(`The contracts have no ${name}. Name a Type.field, or one of the operations ${ids}.`);
      }
      if (json) return printJson(found);
      const { printExplanation } = await import('../explain/print.js');
      console.log(printExplanation(found, paint));
    });
};

export default explainCommand;
