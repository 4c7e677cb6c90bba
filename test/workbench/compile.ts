import ts from 'typescript';
import { compilerHost } from '../support/compiler.js';
import { ROOT } from '../support/process.js';

const CONFIGURATION = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile).config;
const { options } = ts.parseJsonConfigFileContent({ ...CONFIGURATION, include: [] }, ts.sys, ROOT);

/**
 * Type-checks files that exist only in memory, by the repository's tsconfig.json, in one program.
 * @returns for each file its errors, as `TS2322: <message>` with all lines of the message
 */
export function compile(files: Record<string, string>): Record<string, string[]> {
  // Below the root, so that packages are found.
  const folder = `${ROOT}.in-memory/`;
  const texts = new Map(Object.entries(files).map(([name, text]) => [folder + name, text]));
  const host = compilerHost(options);
  const { fileExists, readFile, getSourceFile, directoryExists } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.directoryExists = (path) => path.startsWith(folder.slice(0, -1)) || (directoryExists?.(path) ?? true);
  host.getSourceFile = (path, language, ...rest) => {
    const text = texts.get(path);
    return text === undefined
      ? getSourceFile(path, language, ...rest)
      : ts.createSourceFile(path, text, language, true);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  const errorsOf = (path: string) => {
    const file = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ code, messageText }) => `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
  };
  return Object.fromEntries(Object.keys(files).map((name) => [name, errorsOf(folder + name)]));
}
