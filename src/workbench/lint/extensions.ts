import { Ajv2020 } from 'ajv/dist/2020.js';
import { EXTENSIONS } from '../model/extensions.js';
import { lazily } from '../model/lazily.js';
import type { Rest, RestFlaw, RestRule } from './rule.js';

const validators = lazily(() => {
  const ajv = new Ajv2020({ allowUnionTypes: true });
  const unjudged = Object.entries(EXTENSIONS).filter(([, { judged }]) => judged !== true);
  return new Map(unjudged.map(([name, { schema }]) => [name, ajv.compile(schema)]));
});

/** What is no contract of ours may have members of the same names that say something else. */
const isOurs = ({ operations }: Rest): boolean => operations.some(({ operation }) => 'x-permission' in operation);

function flawed(rest: Rest): RestFlaw[] {
  if (!isOurs(rest)) return [];
  return rest.elements.flatMap(({ kind, path, object }) =>
    Object.keys(object).flatMap((name): RestFlaw[] => {
      const extension = Object.hasOwn(EXTENSIONS, name) ? EXTENSIONS[name as keyof typeof EXTENSIONS] : undefined;
      if (extension === undefined) return [];
      if (!extension.on.includes(kind)) {
        const message = `Nothing reads ${name} here: its place is beside what is ${extension.on.join(', ')}.`;
        return [{ path: [...path, name], onKey: true, message }];
      }
      const isSound = validators().get(name);
      if (isSound === undefined || isSound(object[name])) return [];
      return (isSound.errors ?? []).map(({ instancePath, message, params }) => ({
        path: [...path, name, ...instancePath.split('/').slice(1)],
        onKey: true,
        message: `${name} ${message}${'allowedValues' in params ? `: ${params['allowedValues'].join(', ')}` : ''}.`,
      }));
    }),
  );
}

export const EXTENSION_RULES: RestRule[] = [
  {
    name: 'extension-shape',
    why: 'What says a member of ours in another form, or at another place, is passed over as if it said nothing.',
    check: flawed,
  },
];
