/** So many parts of a document, each made of its number. */
export const many = (count: number, item: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => item(n)).join(' ');
