import { readdir, readFile, realpath } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { z } from 'zod'
import { runProgram } from '../../../lib/node/run-program.ts'
import type { ReadFacts } from '../ports.ts'
import { licenceOfText, readPyproject } from '../rules/read-pyproject.ts'
import { readRequirements } from '../rules/read-requirements.ts'

const scanned = z.object({ classes: z.array(z.string()) })
const SCAN_LIMIT_MS = 120_000
const MAX_FILE_BYTES = 1024 * 1024
const LICENCE_FILE = /^(?:licen[cs]e|copying)(?:[.-][\w.-]+)?$/i

export function createNodeReader({
  packages,
  env,
}: {
  readonly packages: string
  readonly env: Readonly<Record<string, string | undefined>>
}): ReadFacts {
  return async (folder, signal) => {
    const names = await readdir(folder)
    const root = await realpath(folder)
    const [project, { classes }] = await Promise.all([
      names.includes('pyproject.toml') ? readInside(root, 'pyproject.toml') : undefined,
      readClasses({ packages, env }, root, signal),
    ])
    const about = project === undefined ? undefined : readPyproject(project)
    const requirements = names.includes('requirements.txt') ? await readAll(root) : (about?.dependencies ?? [])
    const licence = await findLicence(root, names, about)
    const { version, python, comfyui } = about ?? {}
    return {
      classes,
      requirements,
      ...(version && { version }),
      ...(python && { python }),
      ...(comfyui && { comfyui }),
      ...(licence && { licence }),
    }
  }
}

async function readAll(root: string): Promise<readonly string[]> {
  const texts = new Map<string, string>()
  const load = async (path: string): Promise<void> => {
    const text = texts.has(path) ? undefined : await readInside(root, path)
    if (text === undefined) return
    texts.set(path, text)
    const wanted: string[] = []
    readRequirements(text, {
      file: path,
      include: (inner) => {
        wanted.push(inner)
        return undefined
      },
    })
    for (const inner of wanted) await load(inner)
  }
  await load('requirements.txt')
  return readRequirements(texts.get('requirements.txt') ?? '', { include: (path) => texts.get(path) }).lines
}

async function findLicence(
  root: string,
  names: readonly string[],
  about: { readonly licence?: string; readonly licenceFile?: string } | undefined,
): Promise<string | undefined> {
  if (about?.licence !== undefined) return licenceOfLongText(about.licence)
  const file = about?.licenceFile ?? names.find((name) => LICENCE_FILE.test(name))
  const text = file === undefined ? undefined : await readInside(root, file)
  return text === undefined ? undefined : licenceOfText(text)
}

const licenceOfLongText = (text: string): string | undefined =>
  text.includes('\n') || text.length > 100 ? licenceOfText(text) : text

async function readInside(root: string, path: string): Promise<string | undefined> {
  try {
    const real = await realpath(resolve(root, path))
    if (!real.startsWith(root + sep)) return undefined
    const bytes = await readFile(real)
    if (bytes.length > MAX_FILE_BYTES) return undefined
    const encoding =
      bytes[0] === 0xff && bytes[1] === 0xfe
        ? 'utf-16le'
        : bytes[0] === 0xfe && bytes[1] === 0xff
          ? 'utf-16be'
          : 'utf-8'
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return undefined
  }
}

async function readClasses(
  { packages, env }: { readonly packages: string; readonly env: Readonly<Record<string, string | undefined>> },
  folder: string,
  signal: AbortSignal | undefined,
): Promise<z.infer<typeof scanned>> {
  const end = await runProgram({
    command: 'python3',
    args: ['-s', '-m', 'svc_nodes', folder],
    cwd: packages,
    env: { ...env, PYTHONPATH: packages, PYTHONUTF8: '1', PYTHONDONTWRITEBYTECODE: '1' },
    limitMs: SCAN_LIMIT_MS,
    signal,
  })
  if (end.kind === 'ended' && end.exitCode === 0) return scanned.parse(JSON.parse(end.stdout))
  const why =
    end.kind === 'missing' ? 'python3 is not installed' : end.kind === 'late' ? 'it took too long' : end.stderr.trim()
  throw new Error(`its classes were not read: ${why}`)
}
