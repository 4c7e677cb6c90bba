/** The functions of graphql for SDL, loaded on demand. A bundle loses the names of `import('graphql')`. */
export { buildSchema, introspectionFromSchema } from 'graphql';
