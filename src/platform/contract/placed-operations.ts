import { METHODS, type Method, type OpenApiDocument, type OperationObject } from './document.js';

/** An operation of a document, and where it stands. */
export interface PlacedOperation {
  path: string;
  method: Method;
  operation: OperationObject;
  /** The keys that lead there. */
  at: readonly (string | number)[];
}

/** All operations of a document of sound structure, written or normalised, in its order. */
export const placedOperations = ({ paths = {} }: Pick<Partial<OpenApiDocument>, 'paths'>): PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ path, method, operation, at: ['paths', path, method] }];
    }),
  );
