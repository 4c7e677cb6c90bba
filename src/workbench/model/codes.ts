import { type Catalogue, isPlatformCode, type Kind, platformCodes } from '@accord-api/platform/contract/codes';
import type { OpenApiDocument } from '@accord-api/platform/contract/document';
import type { Finding } from './yaml-source.js';

/** The schema whose values are the error codes, and what stands beside them. */
export const ERROR_CODE = 'ErrorCode';
const STATED = 'x-codes';

/** The rule of `codeFindings`. */
export const RULE = 'error-codes';
const MEMBERS = ['status', 'title', 'description'] as const;

const statedIn = (document: OpenApiDocument): Record<string, Partial<Kind>> =>
  (document.components?.schemas?.[ERROR_CODE]?.[STATED] ?? {}) as Record<string, Partial<Kind>>;

/** The codes in the order of the contract; those of the platform where it has no list. */
const listed = (document: OpenApiDocument): string[] => {
  const values = document.components?.schemas?.[ERROR_CODE]?.enum;
  return [...new Set([...(values ?? []).map(String), ...Object.keys(platformCodes)])];
};

/**
 * What can go wrong in a service with this contract: the platform's codes and those of the contract, in its order. Takes a
 * document with which `codeFindings` finds no fault.
 */
export function readCodes(document: OpenApiDocument): Catalogue {
  const stated = statedIn(document);
  const kinds = listed(document).map((code) => [
    code,
    { ...(isPlatformCode(code) && platformCodes[code]), ...stated[code] },
  ]);
  return Object.fromEntries(kinds);
}

const isSound: Record<(typeof MEMBERS)[number], (value: unknown) => boolean> = {
  status: (value) => Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599,
  title: (value) => typeof value === 'string' && value !== '',
  description: (value) => typeof value === 'string' && value !== '',
};
const WANTED = { status: 'a status from 400 to 599', title: 'a title', description: 'a description' };

/**
 * The list of codes is closed, and says of each what it means: a code of the application has its status and meaning once, in
 * `x-codes`; the status of one of the platform's is not the contract's to say.
 */
export function codeFindings(document: OpenApiDocument): Finding[] {
  const schema = document.components?.schemas?.[ERROR_CODE];
  if (schema === undefined) return [];
  const at = ['components', 'schemas', ERROR_CODE];
  const stated = statedIn(document);
  const values = (schema.enum ?? []).map(String);
  const silent = values.flatMap((code, index) =>
    isPlatformCode(code) || Object.hasOwn(stated, code)
      ? []
      : {
          path: [...at, 'enum', index],
          rule: RULE,
          message: `The error code ${code} has no status and no meaning: say them in ${STATED}.`,
        },
  );
  const flawed = Object.entries(stated).flatMap(([code, kind]): Finding[] => {
    const path = [...at, STATED, code];
    const problem = (message: string): Finding => ({ path, onKey: true, rule: RULE, message });
    if (!values.includes(code)) return [problem(`The error code ${code} is not among the values of ${ERROR_CODE}.`)];
    const own = isPlatformCode(code);
    const surplus = Object.keys(kind ?? {}).filter(
      (name) => !(own ? ['description'] : MEMBERS).some((one) => one === name),
    );
    const wanted = own ? (['description'] as const) : MEMBERS;
    return [
      ...surplus.map((name) =>
        problem(
          own
            ? `The ${name} of ${code} is the platform's to say.`
            : `${code} has a member ${name}, which means nothing.`,
        ),
      ),
      ...wanted
        .filter((name) => !isSound[name](kind?.[name]))
        .map((name) => problem(`The error code ${code} needs ${WANTED[name]}.`)),
    ];
  });
  return [...silent, ...flawed];
}
