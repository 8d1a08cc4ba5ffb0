/**
 * What an artifact is made of, small enough to be drawn; which modules its code imports; and what could stay out of it.
 */
import type { ArtifactPiece, ExcludeSuggestion } from '../../contract/projects.ts'
import { MIB } from '../../contract/units.ts'
import { EXCLUSION_PROFILES } from './collect-requirements.ts'

/** A file of an artifact. `path` from its root, with forward slashes. */
export type ContainedFile = { readonly path: string; readonly bytes: number }

/** A package of an artifact. */
export type ContainedPackage = {
  readonly name: string
  readonly version: string
  readonly bytes: number
  readonly files: number
  /** Top-level modules by which it is imported. */
  readonly modules: readonly string[]
}

/** All that an artifact contains. Sizes as they lie unpacked. */
export type ArtifactContents = {
  readonly project: readonly ContainedFile[]
  /** Handler files, the manifest, and the Python packages that every artifact has. */
  readonly generated: readonly ContainedFile[]
  readonly packages: readonly ContainedPackage[]
  /** Normalised names of the packages that the app itself asks for. */
  readonly wanted: readonly string[]
  /** Top-level modules that the project imports; undefined: it imports what only it knows. */
  readonly imported: readonly string[] | undefined
}

// A piece with a smaller share of all is drawn as a dot. At most 290 have this share, and five more hold what is left:
// the small packages, the root of the project, and the three that are generated.
const SHARE = 1 / 290
/** Path of the piece with all small packages. */
const OTHER_PACKAGES = 'other packages'
/** Path of the piece with what a build writes beside the project. */
const HANDLERS = 'handlers and manifest'

/** The pieces of an artifact, the largest first: at most 300, as the small ones are joined. */
export function artifactPieces({ project, generated, packages }: ArtifactContents): ArtifactPiece[] {
  const all = [...project, ...generated, ...packages]
  const least = all.reduce((sum, { bytes }) => sum + bytes, 0) * SHARE
  return [...packagePieces(packages, least), ...filePieces(project, least), ...generatedPieces(generated)].sort(
    (a, b) => b.bytes - a.bytes || (a.path < b.path ? -1 : 1),
  )
}

function packagePieces(packages: readonly ContainedPackage[], least: number): ArtifactPiece[] {
  const small = packages.filter(({ bytes }) => bytes < least)
  const own = small.length === 1 ? packages : packages.filter(({ bytes }) => bytes >= least)
  const pieces: ArtifactPiece[] = own.map(({ name, version, bytes, files }) => ({
    path: name,
    kind: 'package',
    bytes,
    files,
    version,
  }))
  if (small.length < 2) return pieces
  return [...pieces, { path: OTHER_PACKAGES, kind: 'package', ...sumOf(small) }]
}

/** What is the same in every artifact is of little interest: a piece for each of its folders. */
function generatedPieces(files: readonly ContainedFile[]): readonly ArtifactPiece[] {
  const byFolder = Map.groupBy(files, ({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : HANDLERS))
  return [...byFolder].map(([path, inside]) => ({
    path,
    kind: 'generated',
    bytes: sumOf(inside.map(({ bytes }) => ({ bytes, files: 1 }))).bytes,
    files: inside.length,
  }))
}

/**
 * Large files are pieces; the small ones of a folder are one piece, and where that is small too it goes a folder up.
 */
function filePieces(files: readonly ContainedFile[], least: number): readonly ArtifactPiece[] {
  const kind = 'project'
  const pieces: ArtifactPiece[] = []
  const folders = new Map<string, { bytes: number; files: number }>()
  const add = (path: string, bytes: number, count: number) => {
    const folder = folders.get(path) ?? { bytes: 0, files: 0 }
    folders.set(path, { bytes: folder.bytes + bytes, files: folder.files + count })
  }
  for (const { path, bytes } of files) {
    if (bytes >= least) pieces.push({ path, kind, bytes, files: 1 })
    else add(parentOf(path), bytes, 1)
  }
  // Parents of folders are added while this runs, so the deepest go first.
  for (let depth = deepest(folders); depth >= 0; depth--) {
    for (const [path, joined] of [...folders].filter(([path]) => depthOf(path) === depth)) {
      if (joined.bytes >= least || path === '.') pieces.push({ path, kind, ...joined })
      else add(parentOf(path), joined.bytes, joined.files)
    }
  }
  return pieces
}

function parentOf(path: string): string {
  const end = path.lastIndexOf('/')
  return end === -1 ? '.' : path.slice(0, end)
}

function depthOf(path: string): number {
  return path === '.' ? 0 : path.split('/').length
}

function deepest(folders: ReadonlyMap<string, unknown>): number {
  return Math.max(0, ...[...folders.keys()].map(depthOf))
}

function sumOf(pieces: readonly { readonly bytes: number; readonly files: number }[]) {
  return {
    bytes: pieces.reduce((sum, { bytes }) => sum + bytes, 0),
    files: pieces.reduce((sum, { files }) => sum + files, 0),
  }
}

// Which top-level modules Python source imports, read line by line: rather too many than too few.
const FROM = /^[ \t]*from[ \t]+([A-Za-z_]\w*)/gm
const IMPORT = /(?:^|[;:])[ \t]*import[ \t]+([^#;\n]+)/gm
const BY_TEXT = /\b(?:import_module|__import__)\([ \t\n]*["']([A-Za-z_]\w*)/g
const BY_VALUE = /\b(?:import_module|__import__)\([ \t\n]*(?![ \t\n"'])/

/** The top-level modules that a file imports. @returns undefined: it imports by a name that only it knows */
export function importedModules(text: string): readonly string[] | undefined {
  if (BY_VALUE.test(text)) return undefined
  const named = [FROM, BY_TEXT].flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name))
  const listed = [...text.matchAll(IMPORT)].flatMap(([, names = '']) =>
    names.split(',').flatMap((name) => /^[ \t]*([A-Za-z_]\w*)/.exec(name)?.[1] ?? []),
  )
  return [...new Set([...named, ...listed])]
}

// Only what is large is worth a word, and nothing is left out without the user.

// Below it nobody waits for an upload; in bytes.
const WORTH_BYTES = MIB
const MOST = 50
// What of a folder has to be of one kind for the folder to be named instead of its files.
const MOSTLY = 0.9

type Kind = { readonly name: RegExp; readonly why: string }

// Source: ours, what the largest projects on public hosts hold beside their code.
const KINDS: readonly Kind[] = [
  {
    name: /\.(pt|pth|ckpt|safetensors|onnx|gguf|ggml|h5|hdf5|tflite|pb|joblib|pkl|pickle|weights|engine)$/i,
    why: 'Model files are better on a volume, where every release can use them without another upload.',
  },
  {
    name: /\.(csv|tsv|parquet|arrow|feather|jsonl|ndjson|npy|npz|sqlite3?|db|dump|sql|xlsx?)$/i,
    why: 'It looks like data. If no endpoint reads it, it can be left out.',
  },
  { name: /\.(zip|tar|tgz|gz|bz2|xz|zst|7z|rar|iso|whl)$/i, why: 'It is an archive, which code rarely reads.' },
  { name: /\.ipynb$/i, why: 'Notebooks are not imported by endpoints.' },
  { name: /\.(mp4|mov|mkv|avi|webm|wav|mp3|flac|psd|tiff?)$/i, why: 'It is a recording, which code rarely reads.' },
  { name: /\.(log|prof|trace|core)$/i, why: 'It looks like a temporary file of a program.' },
]

// Folders that hold no code of an app by custom. Those that builds leave out anyway are not here.
const FOLDERS: Readonly<Record<string, string>> = {
  test: 'Tests are not run by workers.',
  spec: 'Tests are not run by workers.',
  doc: 'Documentation is not read by workers.',
  examples: 'Examples are not run by workers, unless an endpoint imports them.',
  notebooks: 'Notebooks are not imported by endpoints.',
  benchmarks: 'Benchmarks are not run by workers.',
  '.github': 'It is only for the host of the repository.',
  '.hg': 'It is the history of the project.',
  '.svn': 'It is the history of the project.',
  '.dvc': 'It is the cache of a tool.',
  '.cache': 'It is the cache of a tool.',
  '.tox': 'It holds installed packages of a tool.',
  '.nox': 'It holds installed packages of a tool.',
  '.eggs': 'It holds installed packages of a tool.',
  htmlcov: 'It is a report of a tool.',
  wandb: 'It holds records of training runs.',
  mlruns: 'It holds records of training runs.',
  lightning_logs: 'It holds records of training runs.',
}

/** What is large and could stay out, the largest first. */
export function suggestExcludes(contents: ArtifactContents): ExcludeSuggestion[] {
  return [...ofPackages(contents), ...ofFolder('', contents.project)].sort((a, b) => b.bytes - a.bytes).slice(0, MOST)
}

function ofPackages({ packages, imported, ...contents }: ArtifactContents): readonly ExcludeSuggestion[] {
  const wanted = new Set(contents.wanted)
  const inImages = new Set<string>(EXCLUSION_PROFILES.specified)
  const known = imported && new Set(imported)
  return packages.flatMap(({ name, bytes, modules }) => {
    if (bytes < WORTH_BYTES) return []
    const suggestion = { path: name, bytes, how: 'exclude' as const, entry: name }
    if (inImages.has(name))
      return [{ ...suggestion, why: 'The worker image already has it, unless you chose another image.' }]
    // One that another package needs is asked for by nobody here, and would come again.
    if (known === undefined || !wanted.has(name) || modules.length === 0) return []
    if (modules.some((module) => known.has(module))) return []
    return [{ ...suggestion, why: 'No file of the project imports it, but another package may need it.' }]
  })
}

/** @param folder with a slash at its end; '' is the project @param files those below it */
function ofFolder(folder: string, files: readonly ContainedFile[]): readonly ExcludeSuggestion[] {
  const bytes = sum(files)
  if (bytes < WORTH_BYTES) return []
  const why = folder === '' ? undefined : whyFolder(folder, files, bytes)
  if (why !== undefined) return [ignored(folder, bytes, why)]
  const inner = new Map<string, ContainedFile[]>()
  const found: ExcludeSuggestion[] = []
  for (const file of files) {
    const end = file.path.indexOf('/', folder.length)
    if (end !== -1) {
      const name = file.path.slice(0, end + 1)
      const known = inner.get(name)
      if (known === undefined) inner.set(name, [file])
      else known.push(file)
    } else if (file.bytes >= WORTH_BYTES) {
      const kind = kindOf(file.path)
      if (kind !== undefined) found.push(ignored(file.path, file.bytes, kind.why))
    }
  }
  return [...found, ...[...inner].flatMap(([name, below]) => ofFolder(name, below))]
}

function whyFolder(folder: string, files: readonly ContainedFile[], bytes: number): string | undefined {
  const name = folder.slice(0, -1).split('/').at(-1) ?? ''
  const byName = Object.hasOwn(FOLDERS, name) ? FOLDERS[name] : undefined
  if (byName !== undefined) return byName
  if (files.length === 1 || files.some(({ path }) => path.endsWith('.py'))) return undefined
  return KINDS.find((kind) => sum(files.filter(({ path }) => kind.name.test(path))) >= bytes * MOSTLY)?.why
}

function kindOf(path: string): Kind | undefined {
  return KINDS.find(({ name }) => name.test(path))
}

function ignored(path: string, bytes: number, why: string): ExcludeSuggestion {
  // From the root of the project, and with what a pattern would take for a wildcard as itself.
  return { path, bytes, how: 'ignore', entry: `/${path.replace(/[\\*?[\]]/g, '\\$&')}`, why }
}

function sum(files: readonly ContainedFile[]): number {
  return files.reduce((total, { bytes }) => total + bytes, 0)
}
