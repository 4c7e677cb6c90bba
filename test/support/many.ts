/** Returns numbered parts of a document. */
export const many = (count: number, item: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => item(n)).join(' ');
