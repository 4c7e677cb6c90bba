// Packs the packages of src/ for npm, compiled: Node reads no TypeScript of an installed package.
// `npm run pack -- <folder>` writes the tarballs there, by default into dist/packages.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '..');
const PLATFORM = 'src/platform';
const PREPARED = 'src/prepared-prisma';
const TESTING = 'src/testing';
const WORKBENCH = 'src/workbench';
const CREATE = 'src/create';
/** What a new project is made of is no code of the workbench. */
const TEMPLATE = `${WORKBENCH}/new/template`;

/** The files of the pages. */
const PAGES = `${PLATFORM}/parts/pages/files`;

/** The contracts of parts. */
const CONTRACTS = ['core', ...readdirSync(join(ROOT, PLATFORM, 'parts')).map((part) => `parts/${part}`)]
  .flatMap((folder) => ['openapi.yaml', 'schema.graphql'].map((file) => `${PLATFORM}/${folder}/${file}`))
  .filter((file) => existsSync(join(ROOT, file)));

/** What editors know openapi.yaml by. */
const EDITOR_SCHEMA = `${WORKBENCH}/openapi.schema.json`;

const manifestOf = (folder) => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));

/** Compiles the sources, with their declarations, below `stage`. Whether their types agree is for `npm run typecheck` to say. */
function compile(stage) {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const chosen = { ...config, include: [PLATFORM, PREPARED, TESTING, WORKBENCH], exclude: [TEMPLATE, PAGES] };
  const { options, fileNames } = ts.parseJsonConfigFileContent(chosen, ts.sys, ROOT);
  const emitting = { ...options, noEmit: false, noCheck: true, declaration: true, rootDir: ROOT, outDir: stage };
  // The incremental state belongs to `npm run typecheck`.
  Object.assign(emitting, { incremental: false, tsBuildInfoFile: undefined });
  const program = ts.createProgram(fileNames, emitting);
  const { diagnostics } = program.emit();
  if (diagnostics.length === 0) return;
  console.error(ts.formatDiagnostics(diagnostics, ts.createCompilerHost(emitting)));
  process.exit(1);
}

/** `./server/run.ts` becomes what is made of it; what is no code stays what it is. */
const compiledEntry = (file) =>
  file.endsWith('.json') ? file : { types: file.replace(/\.[jt]s$/, '.d.ts'), default: file.replace(/\.ts$/, '.js') };

/** The package.json of what is published. */
function published(folder) {
  const { private: _, devDependencies: __, ...manifest } = manifestOf(folder);
  const entries = Object.entries(manifest.exports ?? {}).map(([name, file]) => [name, compiledEntry(file)]);
  // What of the platform is bundled by a build, and so by no installation for production, comes with what builds.
  const bundled = folder === WORKBENCH ? manifestOf(PLATFORM).devDependencies : {};
  const dependencies = { ...bundled, ...manifest.dependencies };
  return { ...manifest, ...(entries.length > 0 && { exports: Object.fromEntries(entries) }), dependencies };
}

function pack(folder, stage, destination) {
  const packed = join(stage, folder);
  cpSync(join(ROOT, folder, 'README.md'), join(packed, 'README.md'));
  cpSync(join(ROOT, 'LICENSE'), join(packed, 'LICENSE'));
  // The compiler forgets what may be executed.
  for (const command of Object.values(manifestOf(folder).bin ?? {})) chmodSync(join(packed, command), 0o755);
  writeFileSync(join(packed, 'package.json'), `${JSON.stringify(published(folder), null, 2)}\n`);
  const options = ['--json', '--ignore-scripts', '--pack-destination', destination];
  const [{ filename, size, entryCount }] = JSON.parse(
    execFileSync('npm', ['pack', ...options], { cwd: packed, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  console.log(`${join(destination, filename)}  ${Math.round(size / 1000)} kB, ${entryCount} files`);
}

const destination = resolve(process.argv[2] ?? join(ROOT, 'dist', 'packages'));
const stage = mkdtempSync(join(tmpdir(), 'accord-pack-'));
try {
  mkdirSync(destination, { recursive: true });
  compile(stage);
  cpSync(join(ROOT, TEMPLATE), join(stage, TEMPLATE), { recursive: true });
  cpSync(join(ROOT, PAGES), join(stage, PAGES), { recursive: true });
  for (const file of [EDITOR_SCHEMA, ...CONTRACTS]) cpSync(join(ROOT, file), join(stage, file));
  cpSync(join(ROOT, CREATE), join(stage, CREATE), { recursive: true });
  for (const folder of [PLATFORM, PREPARED, TESTING, WORKBENCH, CREATE]) pack(folder, stage, destination);
} finally {
  rmSync(stage, { recursive: true });
}
