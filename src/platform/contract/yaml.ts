import { parse, stringify } from 'yaml';

/** By the one reader of YAML (1.2, core schema): what the check has seen is what runs. A date without quotes is text. */
export const parseYaml = (text: string): unknown => parse(text);

/** A value as YAML that people read: nothing is said by an alias. */
export const yamlOf = (value: unknown): string =>
  stringify(value, { lineWidth: 0, blockQuote: 'literal', singleQuote: true, aliasDuplicateObjects: false });
