// A Prisma generator. Writes `data-model.ts`, a `DataModel` of @accord-api/prepared-prisma, next to the generated client:
//
//   generator dataModel {
//     provider = "node node_modules/@accord-api/platform/database/data-model-generator.js"
//     output   = "../generated/prisma"
//   }
//
// JavaScript, because `prisma generate` starts it with plain Node. It imports nothing, because a project may not have
// installed @prisma/generator-helper: the protocol is JSON-RPC, one message per line, requests on stdin, answers on stderr.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * @typedef {{ name: string, dbName?: string | null }} Named
 * @typedef {Named & {
 *   kind: string, type: string, isList: boolean, isId: boolean, default?: unknown, nativeType?: unknown,
 *   relationFromFields?: string[], relationToFields?: string[], relationOnDelete?: string,
 * }} DmmfField
 * @typedef {Named & { fields: DmmfField[] }} DmmfModel
 * @typedef {{ models: DmmfModel[], enums: (Named & { values: Named[] })[] }} Dmmf
 */

/** @type {(named: Named) => string} */
const nameInDatabase = ({ name, dbName }) => dbName ?? name;

/** @type {(dmmf: Dmmf) => import('@accord-api/prepared-prisma').DataModel} */
function dataModelOf({ models, enums }) {
  const values = new Map(
    enums.map(({ name, values }) => [name, Object.fromEntries(values.map((key) => [nameInDatabase(key), key.name]))]),
  );
  /** @type {(field: DmmfField) => import('@accord-api/prepared-prisma').Field} */
  const fieldOf = (field) => {
    const { name, kind, type, isList, isId } = field;
    if (kind !== 'scalar' && kind !== 'enum' && kind !== 'object')
      throw new Error(`${name} is ${kind}: not supported.`);
    const { relationFromFields: fields = [], relationToFields: to = [], relationOnDelete: onDelete } = field;
    const references = to.length > 0 && { references: to };
    const column = nameInDatabase(field);
    const { name: makes } = /** @type {{ name?: string }} */ (field.default ?? {});
    return {
      ...{ name, column, kind, type, isList, isId },
      ...(kind === 'enum' && { values: values.get(type) ?? {} }),
      ...(Array.isArray(field.nativeType) && field.nativeType[0] === 'Uuid' && { isUuid: true }),
      ...(makes === 'autoincrement' && { isAutoincrement: true }),
      ...(kind === 'object' && { relation: { model: type, fields, ...references, ...(onDelete && { onDelete }) } }),
    };
  };
  /** @type {(model: DmmfModel) => import('@accord-api/prepared-prisma').Model} */
  const modelOf = (model) => ({
    name: model.name,
    table: nameInDatabase(model),
    fields: Object.fromEntries(model.fields.map((field) => [field.name, fieldOf(field)])),
  });
  return { models: Object.fromEntries(models.map((model) => [model.name, modelOf(model)])) };
}

/**
 * Returns the source of `data-model.ts`, with one line for each field.
 * @type {(dataModel: import('@accord-api/prepared-prisma').DataModel) => string}
 */
function sourceOf({ models }) {
  const members = Object.values(models).map(({ fields, ...model }) => {
    const head = Object.entries(model).map(([key, value]) => `      ${key}: ${JSON.stringify(value)},\n`);
    const lines = Object.values(fields).map((field) => `        ${field.name}: ${JSON.stringify(field)},\n`);
    return `    ${model.name}: {\n${head.join('')}      fields: {\n${lines.join('')}      },\n    },\n`;
  });
  const header = '// Generated from schema.prisma by `prisma generate`. Do not edit.\n';
  return `${header}export const dataModel = {\n  models: {\n${members.join('')}  },\n} as const;\n`;
}

/** @type {(folder: string, dmmf: Dmmf) => Promise<void>} */
async function generate(folder, dmmf) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'data-model.ts'), sourceOf(dataModelOf(dmmf)));
}

/** @type {Record<string, (params: { generator: { output: { value: string } }, dmmf: { datamodel: Dmmf } }) => unknown>} */
const methods = {
  getManifest: () => ({ manifest: { prettyName: 'data model', defaultOutput: '../generated/prisma' } }),
  generate: ({ generator, dmmf }) => generate(generator.output.value, dmmf.datamodel),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  /** @type {object} */
  let answer;
  try {
    answer = { result: (await methods[method]?.(params)) ?? null };
  } catch (error) {
    const { message, stack } = /** @type {Error} */ (error);
    answer = { error: { code: 0, message, data: { stack } } };
  }
  process.stderr.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
