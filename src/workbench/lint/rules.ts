import { BODY_RULES } from './bodies.js';
import { REST_BOUND_RULES, SDL_BOUND_RULES } from './bounds.js';
import { COMPONENT_RULES } from './components.js';
import { REST_DEPRECATION_RULES, SDL_DEPRECATION_RULES } from './deprecation.js';
import { DESCRIPTION_RULES } from './descriptions.js';
import { REST_EXAMPLE_RULES, SDL_EXAMPLE_RULES } from './examples.js';
import { EXTENSION_RULES } from './extensions.js';
import { FAILURE_RULES } from './failures.js';
import { OPERATION_ID_RULES } from './operation-ids.js';
import { REST_PAGING_RULES } from './paging.js';
import { PATH_RULES } from './paths.js';
import { REST_PATTERN_RULES, SDL_PATTERN_RULES } from './patterns.js';
import type { RestRule, SdlRule } from './rule.js';
import { SDL_PAGING_RULES } from './sdl-paging.js';

/** Our own rules of openapi.yaml, beside Redocly's and what codegen needs. */
export const REST_RULES: RestRule[] = [
  ...OPERATION_ID_RULES,
  ...PATH_RULES,
  ...BODY_RULES,
  ...FAILURE_RULES,
  ...REST_PATTERN_RULES,
  ...REST_BOUND_RULES,
  ...REST_PAGING_RULES,
  ...REST_EXAMPLE_RULES,
  ...REST_DEPRECATION_RULES,
  ...COMPONENT_RULES,
  ...DESCRIPTION_RULES,
  ...EXTENSION_RULES,
];

/** Our own rules of schema.graphql, beside graphql-eslint's and what codegen needs. */
export const SDL_RULES: SdlRule[] = [
  ...SDL_PAGING_RULES,
  ...SDL_PATTERN_RULES,
  ...SDL_BOUND_RULES,
  ...SDL_EXAMPLE_RULES,
  ...SDL_DEPRECATION_RULES,
];
