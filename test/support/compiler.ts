import ts from 'typescript';

/** Caches the declarations of packages and of the language, because reading them takes most of a compilation. */
const declarations = new Map<string, ts.SourceFile | undefined>();

/** Creates a host that caches declarations. @param options of the repository's tsconfig.json */
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
