import { paint, printJson, type Subcommand, Unable } from '@accord-api/platform/cli/output';
import { bridge } from '../bridge/bridge.js';
import type { Named, Pairs } from '../bridge/contract.js';
import { type Explanation, explainField, explainMember, explainOperation, type Part } from '../explain/explain.js';
import { check } from '../model/check.js';
import { type Contracts, readContracts } from '../model/contracts.js';
import { rejectProblems } from '../model/problems.js';
import { type CodeLine, touched } from '../model/touched-code.js';

const MAX_NAME_WIDTH = 28;

/** Prints an explanation. Parts of a default have its number in the list at the end. */
function printExplanation({ name, what, at, description, sections }: Explanation): string {
  const defaults: string[] = [];
  function mark({ byDefault }: NonNullable<Part['at']>): string {
    if (byDefault === undefined) return '';
    if (!defaults.includes(byDefault)) defaults.push(byDefault);
    return ` [${defaults.indexOf(byDefault) + 1}]`;
  }
  const placeOf = (said: Part['at']) =>
    said ? paint('dim', `${said.file}:${said.line}:${said.column}${mark(said)}`) : '';

  /** Joins the headers of a response in one line, each with its line number. */
  function inLine(parts: readonly Part[]): Part[] {
    const headers = parts.filter(({ says }) => says === 'header');
    const says = headers.map((one) => `${one.name}${one.at ? ` :${one.at.line}${mark(one.at)}` : ''}`).join(', ');
    const others = parts.filter((one) => one.says !== 'header');
    return headers.length === 0 ? others : [...others, { name: 'headers', says, at: undefined }];
  }
  function lines(parts: readonly Part[], indent = '  '): string[] {
    const width = Math.min(MAX_NAME_WIDTH, Math.max(0, ...parts.map((part) => part.name.length)));
    return parts.flatMap((part) => [
      `${indent}${part.name.padEnd(width)}  ${[part.says, placeOf(part.at)].filter(Boolean).join('  ')}`,
      ...lines(inLine(part.parts ?? []), `${indent}     `),
    ]);
  }

  const head = `${paint('bold', name)}  ${what}  ${placeOf(at)}`;
  const prose = description === '' ? [] : ['', ...description.split('\n').map((line) => `  ${line}`.trimEnd())];
  const shown = sections
    .filter(({ parts }) => parts.length > 0)
    .flatMap(({ title, parts }) => ['', paint('cyan', title), ...lines(parts)]);
  const listed = defaults.map((one, index) => `  [${index + 1}] ${one}`);
  const footer = listed.length > 0 ? ['', paint('cyan', 'By default (x-defaults)'), ...listed] : [];
  return [head, ...prose, ...shown, ...footer].join('\n');
}

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
  const { openapi, schema } = contracts;
  const isField = name.includes('.');
  const operation = explainOperation(openapi, name);
  const found = operation?.explanation ?? explainField(schema, name) ?? explainMember(openapi, name);
  if (found === undefined) return undefined;
  const side = isField ? ('graphql' as const) : ('rest' as const);
  const address = found.what.replaceAll(/\{[^{}]*\}/g, '{}');
  const [code] = touched(root, [{ side, elements: [name] }], new Map([[name, address]]));
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
      const contracts = await readContracts(root, ['openapi', 'schema', 'prisma'], 'one');
      rejectProblems(await check(contracts));
      const found = await explained(root, contracts, name);
      if (found === undefined) {
        const ids = contracts.openapi.operations.map(({ operationId }) => operationId).join(', ');
        throw new Unable(`The contracts have no ${name}. Name a Type.field, or one of the operations ${ids}.`);
      }
      if (json) return printJson(found);
      console.log(printExplanation(found));
    });
};

export default explainCommand;
