import ts from 'typescript';

/** The declarations of packages and of the language: read once in a process, for they take most of a compilation's time. */
const declarations = new Map<string, ts.SourceFile | undefined>();

/** What a program reads files by, for `options` of the repository's tsconfig.json. */
export function compilerHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options, true);
  const { getSourceFile } = host;
  host.getSourceFile = (path, ...rest) => {
    if (!path.includes('/node_modules/')) return getSourceFile(path, ...rest);
    if (!declarations.has(path)) declarations.set(path, getSourceFile(path, ...rest));
    return declarations.get(path);
  };
  return host;
}
