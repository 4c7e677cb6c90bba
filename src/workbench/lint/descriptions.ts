import type { Rest, RestFlaw, RestRule } from './rule.js';

const NAMED_SCHEMA = /^components\/schemas\/[^/]+$/;

/** What is only a reference is described by what it names. */
const undescribed = ({ elements }: Rest): RestFlaw[] =>
  elements.flatMap(({ kind, path, object }) => {
    const isMember = path.at(-2) === 'properties' || NAMED_SCHEMA.test(path.join('/'));
    const asked = kind === 'parameter' || kind === 'header' || (kind === 'schema' && isMember);
    const described = '$ref' in object || String(object.description ?? '').trim() !== '';
    if (!asked || described) return [];
    return [{ path, onKey: true, message: `\`${object.name ?? path.at(-1)}\` has no description.` }];
  });

export const DESCRIPTION_RULES: RestRule[] = [
  {
    name: 'member-description',
    why: 'The contract is read without the code, so every parameter, header, schema and member says what it means.',
    check: undescribed,
  },
];
