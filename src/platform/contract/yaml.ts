import { parse, stringify } from 'yaml';

/** By the one reader of YAML (1.2, core schema): what the check has seen is what runs. A date without quotes is text. */
export const parseYaml = (text: string): unknown => finite(parse(text));

/** The same value. Throws on one that holds itself, by an alias, and so is no JSON. */
function finite(value: unknown): unknown {
  try {
    JSON.stringify(value);
    return value;
  } catch {
    throw new Error('An alias leads to what it stands in.');
  }
}

/** A value as YAML that people read: nothing is said by an alias. */
export const yamlOf = (value: unknown): string =>
  stringify(value, { lineWidth: 0, blockQuote: 'literal', singleQuote: true, aliasDuplicateObjects: false });
