import type { ArtifactPiece, ExcludeSuggestion } from '../../../contract/projects.ts'
import { MIB } from '../../../lib/units.ts'
import { EXCLUSION_PROFILES } from './collect-requirements.ts'

export type ContainedFile = { readonly path: string; readonly bytes: number }

export type ContainedPackage = {
  readonly name: string
  readonly version: string
  readonly bytes: number
  readonly files: number
  readonly modules: readonly string[]
}

/** Unpacked sizes in bytes. */
export type ArtifactContents = {
  readonly project: readonly ContainedFile[]
  readonly generated: readonly ContainedFile[]
  readonly packages: readonly ContainedPackage[]
  readonly wanted: readonly string[]
  readonly imported: readonly string[] | undefined
}

// Smaller shares would be drawn as dots. At most 290 pieces reach it; five more hold the rest.
const SHARE = 1 / 290
const OTHER_PACKAGES = 'other packages'
const HANDLERS = 'handlers and manifest'

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

/** Generated files are the same in every artifact, so each folder is one piece. */
function generatedPieces(files: readonly ContainedFile[]): readonly ArtifactPiece[] {
  const byFolder = Map.groupBy(files, ({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : HANDLERS))
  return [...byFolder].map(([path, inside]) => ({
    path,
    kind: 'generated',
    bytes: sumOf(inside.map(({ bytes }) => ({ bytes, files: 1 }))).bytes,
    files: inside.length,
  }))
}

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
  // Deepest first, as parent folders are added during the loop.
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

// Imports are found line by line, rather too many than too few.
const FROM = /^[ \t]*from[ \t]+([A-Za-z_]\w*)/gm
const IMPORT = /(?:^|[;:])[ \t]*import[ \t]+([^#;\n]+)/gm
const BY_TEXT = /\b(?:import_module|__import__)\([ \t\n]*["']([A-Za-z_]\w*)/g
const BY_VALUE = /\b(?:import_module|__import__)\([ \t\n]*(?![ \t\n"'])/

export function importedModules(text: string): readonly string[] | undefined {
  if (BY_VALUE.test(text)) return undefined
  const named = [FROM, BY_TEXT].flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name))
  const listed = [...text.matchAll(IMPORT)].flatMap(([, names = '']) =>
    names.split(',').flatMap((name) => /^[ \t]*([A-Za-z_]\w*)/.exec(name)?.[1] ?? []),
  )
  return [...new Set([...named, ...listed])]
}

// Suggests only large exclusions, and excludes nothing without the user.

// Bytes below which nobody waits for an upload, so nothing is suggested.
const WORTH_BYTES = MIB
const MOST = 50
// Share of one kind at which the folder is named instead of its files.
const MOSTLY = 0.9

type Kind = { readonly name: RegExp; readonly why: string }

// Source: ours, from the largest projects on public hosts.
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

// Folders that usually hold no app code and that builds do not leave out anyway.
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
    // A package that another one needs would be installed again.
    if (known === undefined || !wanted.has(name) || modules.length === 0) return []
    if (modules.some((module) => known.has(module))) return []
    return [{ ...suggestion, why: 'No file of the project imports it, but another package may need it.' }]
  })
}

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
  // The entry is anchored at the project root, with wildcards escaped.
  return { path, bytes, how: 'ignore', entry: `/${path.replace(/[\\*?[\]]/g, '\\$&')}`, why }
}

function sum(files: readonly ContainedFile[]): number {
  return files.reduce((total, { bytes }) => total + bytes, 0)
}
