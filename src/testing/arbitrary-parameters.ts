import type { Parameter } from '@accord-api/platform/internals/contract/document';
import {
  type ParameterForm,
  parameterForm,
  schemaOf,
  textsOf,
} from '@accord-api/platform/internals/contract/parameter-form';
import fc from 'fast-check';
import { headerText, onceIn, perhaps, valid, wellFormed } from './arbitrary-values.js';

/** Texts that nearly are of a form. */
const nearly = (form: ParameterForm): readonly string[] => {
  const scalars = ['TRUE', '1', 'null', '', '-0', '01', '0x10', '1e999', '1e-999', 'NaN', '9007199254740993', '1,5'];
  if (form.kind === 'json') return ['{', '', '{"__proto__":1}', '{"a":1,"a":2}', '1e400', '['.repeat(200)];
  return form.kind === 'list' ? [...scalars, ',', '1,,2', ',1', 'a|b', '1 2', '%2C'] : scalars;
};

type Pairs = [key: string, text: string][];

/** What a parameter is given: what its schema takes, what nearly is that, and now and then anything. */
function given(
  parameter: Parameter,
  escaped: (text: string) => string,
  junk: fc.Arbitrary<string> = wellFormed,
): fc.Arbitrary<Pairs> {
  const { name } = parameter;
  const form = parameterForm(parameter);
  const written = valid(schemaOf(parameter)).map((value) =>
    value === null ? [] : textsOf(name, form, value, escaped),
  );
  const text = fc.oneof(junk, fc.constantFrom(...nearly(form)));
  const other = fc
    .tuple(text, fc.nat(5))
    .map(([one, times]): Pairs => Array.from({ length: times === 0 ? 2 : 1 }, () => [name, escaped(one)]));
  if (parameter.required !== true) return perhaps(written, other).map((pairs) => pairs ?? []);
  // Without it there would be nothing but refusals.
  const none = fc.constant<Pairs>([]);
  return fc.oneof({ weight: 10, arbitrary: written }, { weight: 2, arbitrary: other }, { weight: 1, arbitrary: none });
}

/** The texts of a query: of each parameter what it takes, what nearly is that, or nothing, and now and then one that is unknown. */
export function queryOf(parameters: Parameter[]): fc.Arbitrary<string> {
  const drawn = (isRequired: boolean) =>
    parameters.filter(({ required = false }) => required === isRequired).map((one) => given(one, encodeURIComponent));
  const [required, others] = [drawn(true), drawn(false)];
  // Few at a time, or nearly every list would mix its styles.
  const unknown = onceIn(12, fc.tuple(wellFormed, wellFormed));
  return fc
    .tuple(
      fc.tuple(...required),
      fc.subarray(others, { maxLength: Math.min(2, others.length) }).chain((some) => fc.tuple(...some)),
      unknown,
    )
    .map(([demanded, known, other]) => {
      const named = [...demanded, ...known].flat().map(([name, text]) => [encodeURIComponent(name), text]);
      const pairs = [...named, ...(other ? [other.map(encodeURIComponent)] : [])];
      return pairs.map((pair) => pair.join('=')).join('&');
    });
}

/** Whether any text can be read as it. */
export const isPlain = (parameter: Parameter): boolean => {
  const form = parameterForm(parameter);
  return form.kind === 'scalar' && form.types.includes('string');
};

/** What may be the value of a header. */
const isFieldText = (text: string): boolean => /^([\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?)?$/.test(text);

/** A header that is no text to its reader, by its name in lower case. */
export const typedHeader = (parameter: Parameter): fc.Arbitrary<Record<string, string>> =>
  given(parameter, String, headerText).map((pairs) =>
    Object.fromEntries(pairs.filter(([, text]) => isFieldText(text)).map(([name, text]) => [name.toLowerCase(), text])),
  );

/** Those cookies that are no texts to their reader. */
export const typedCookies = (parameters: Parameter[]): fc.Arbitrary<Record<string, string>> =>
  fc.tuple(...parameters.filter((one) => !isPlain(one)).map((one) => given(one, encodeURIComponent))).map((all) => {
    const cookie = all
      .flat()
      .map((pair) => pair.join('='))
      .join('; ');
    return cookie === '' ? ({} as Record<string, string>) : { cookie };
  });
