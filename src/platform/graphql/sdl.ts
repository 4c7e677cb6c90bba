/**
 * What is asked of graphql about a text, to be loaded when it is first needed. `import('graphql')` by itself gives a bundle the
 * package without its names.
 */
export { buildSchema, introspectionFromSchema } from 'graphql';
