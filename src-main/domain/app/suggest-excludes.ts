/** What could stay out of an artifact. Only what is large is worth a word, and nothing is left out without the user. */
import type { ExcludeSuggestion } from '../../contract/projects.ts'
import type { ArtifactContents, ContainedFile } from './artifact-pieces.ts'
import { EXCLUSION_PROFILES } from './excluded-packages.ts'

// Below it nobody waits for an upload; in bytes.
const WORTH_BYTES = 1024 * 1024
const MOST = 50
// What of a folder has to be of one kind for the folder to be named instead of its files.
const MOSTLY = 0.9

type Kind = { readonly name: RegExp; readonly why: string }

// Source: ours, what the largest projects on public hosts hold beside their code.
const KINDS: readonly Kind[] = [
  {
    name: /\.(pt|pth|ckpt|safetensors|onnx|gguf|ggml|h5|hdf5|tflite|pb|joblib|pkl|pickle|weights|engine)$/i,
    why: 'Model files are better on a volume: there every release has them without sending them again.',
  },
  {
    name: /\.(csv|tsv|parquet|arrow|feather|jsonl|ndjson|npy|npz|sqlite3?|db|dump|sql|xlsx?)$/i,
    why: 'It looks like data. If no endpoint reads it, it can stay out.',
  },
  { name: /\.(zip|tar|tgz|gz|bz2|xz|zst|7z|rar|iso|whl)$/i, why: 'It is an archive, which code seldom reads.' },
  { name: /\.ipynb$/i, why: 'Notebooks are not imported by endpoints.' },
  { name: /\.(mp4|mov|mkv|avi|webm|wav|mp3|flac|psd|tiff?)$/i, why: 'It is a recording, which code seldom reads.' },
  { name: /\.(log|prof|trace|core)$/i, why: 'It looks like something that a program left behind.' },
]

// Folders that hold no code of an app by custom. Those that builds leave out anyway are not here.
const FOLDERS: Readonly<Record<string, string>> = {
  test: 'Tests are not run by workers.',
  spec: 'Tests are not run by workers.',
  doc: 'Documentation is not read by workers.',
  examples: 'Examples are not run by workers, unless an endpoint imports them.',
  notebooks: 'Notebooks are not imported by endpoints.',
  benchmarks: 'Benchmarks are not run by workers.',
  '.github': 'It is for the host of the repository.',
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
      return [{ ...suggestion, why: 'The image of the workers has it already, unless you chose another image.' }]
    // One that another package needs is asked for by nobody here, and would come again.
    if (known === undefined || !wanted.has(name) || modules.length === 0) return []
    if (modules.some((module) => known.has(module))) return []
    return [{ ...suggestion, why: 'No file of the project imports it. Another package may need it all the same.' }]
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
