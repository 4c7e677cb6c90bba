import { type Catalogue, type ErrorKind, isPlatformCode, platformCodes } from '@accord-api/platform/contract/codes';
import type { OpenApiDocument } from '@accord-api/platform/contract/document';
import type { Finding } from './yaml-source.js';

/** The schema whose values are the error codes. Its member `x-codes` describes them. */
export const ERROR_CODE = 'ErrorCode';
const DESCRIBED = 'x-codes';

export const RULE = 'error-codes';
const MEMBERS = ['status', 'title', 'description'] as const;
type Member = (typeof MEMBERS)[number];

const describedIn = (document: OpenApiDocument): Record<string, Partial<ErrorKind>> =>
  (document.components?.schemas?.[ERROR_CODE]?.[DESCRIBED] ?? {}) as Record<string, Partial<ErrorKind>>;

/** Returns the catalogue of error codes in the order of the contract. The remaining codes of the platform follow. */
export function readCodes(document: OpenApiDocument): Catalogue {
  const described = describedIn(document);
  const values = (document.components?.schemas?.[ERROR_CODE]?.enum ?? []).map(String);
  const codes = [...new Set([...values, ...Object.keys(platformCodes)])];
  return Object.fromEntries(
    codes.map((code) => [code, { ...(isPlatformCode(code) && platformCodes[code]), ...described[code] } as ErrorKind]),
  );
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const EXPECTED: Record<Member, [text: string, isValid: (value: unknown) => boolean]> = {
  status: [
    'a status from 400 to 599',
    (value) => Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599,
  ],
  title: ['a title', isText],
  description: ['a description', isText],
};

/**
 * Returns the errors in the catalogue. A code of the application needs a status, a title and a description. For a code of the platform
 * the contract may only state a description.
 */
export function codeFindings(document: OpenApiDocument): Finding[] {
  const schema = document.components?.schemas?.[ERROR_CODE];
  if (schema === undefined) return [];
  const at = ['components', 'schemas', ERROR_CODE];
  const described = describedIn(document);
  const values = (schema.enum ?? []).map(String);
  const undescribed = values.flatMap((code, index) => {
    if (isPlatformCode(code) || Object.hasOwn(described, code)) return [];
    const message = `The error code ${code} has no status, title and description: add them to ${DESCRIBED}.`;
    return { path: [...at, 'enum', index], rule: RULE, message };
  });
  const invalid = Object.entries(described).flatMap(([code, kind]): Finding[] => {
    const isOfPlatform = isPlatformCode(code);
    const allowed: readonly Member[] = isOfPlatform ? ['description'] : MEMBERS;
    const surplus = Object.keys(kind ?? {}).filter((name) => !allowed.some((member) => member === name));
    const missing = allowed.filter((name) => !EXPECTED[name][1](kind?.[name]));
    const messages = values.includes(code)
      ? [
          ...surplus.map((name) =>
            isOfPlatform
              ? `The platform defines the ${name} of ${code}: remove it.`
              : `${code} has an unknown member ${name}: remove it.`,
          ),
          ...missing.map((name) => `The error code ${code} needs ${EXPECTED[name][0]}.`),
        ]
      : [`The error code ${code} is not among the values of ${ERROR_CODE}.`];
    return messages.map((message) => ({ path: [...at, DESCRIBED, code], onKey: true, rule: RULE, message }));
  });
  return [...undescribed, ...invalid];
}
