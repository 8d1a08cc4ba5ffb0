/** Resolves the Python packages of a worker image with uv, without installing or, by default, running any of them. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { valid } from '@renovatebot/pep440'
import { strToU8, zipSync } from 'fflate'
import { AppError } from '../../../contract/errors.ts'
import { runProgram } from '../../../lib/node/run-program.ts'
import { MINUTE_MS } from '../../../lib/units.ts'
import { INSTALL_PLATFORM } from '../../apps/adapters/installer.ts'
import { normaliseName } from '../../apps/rules/requirements.ts'
import type { ResolvePython } from '../ports.ts'
import { checkHashes, pinned, pylockOf, readCompiled } from '../rules/compiled-packages.ts'
import {
  type Asked,
  checkRequirements,
  conflictsOfFile,
  explainFailure,
  NO_PYTHON,
  warningsOfFile,
} from '../rules/python-conflicts.ts'
import { readRequirements } from '../rules/read-requirements.ts'
import { findUv } from './find-uv.ts'

const SILENCE_MS = 5 * MINUTE_MS
const MAX_ROUNDS = 40

export function createPythonResolver({
  env,
  uvFolder,
  installing,
}: {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly uvFolder: string
  readonly installing?: (name: string) => void
}): ResolvePython {
  return async ({ requirements, provides: given, python, sources = [], previous = [], signal }) => {
    const provides = Object.fromEntries(Object.entries(given).map(([name, version]) => [normaliseName(name), version]))
    const read = requirements.map(({ from, text }) => ({ from, file: readRequirements(text) }))
    const warnings = read.flatMap(({ from, file }) => warningsOfFile(from, file))
    const all: Asked[] = read.flatMap(({ from, file }) => file.requirements.map((one) => ({ ...one, from })))
    const { usable, conflicts: early } = checkRequirements(all, { python, provides })
    const conflicts = [...read.flatMap(({ from, file }) => conflictsOfFile(from, file)), ...early]
    const command = await findUv({ env, folder: uvFolder, installing, signal })
    const folder = await mkdtemp(join(tmpdir(), 'drydock-python-'))
    try {
      const arguments_ = await writeBase(folder, provides, { python, sources })
      let asked = usable
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const files = await writeRequirements(folder, asked)
        await writeFile(join(folder, 'pylock.toml'), pylockOf(previous))
        const compile = (more: readonly string[]) =>
          runUv([...Object.keys(files), ...arguments_, ...more], { command, env, folder, signal })
        const compiled = await compile(['--format', 'pylock.toml', '--output-file', 'pylock.toml'])
        if (compiled.exitCode === 0) {
          if (conflicts.length > 0) break
          const pylock = await readFile(join(folder, 'pylock.toml'), 'utf8')
          await writeFile(join(folder, 'requirements.txt'), pinned(pylock))
          const annotated = await compile(['--output-file', 'requirements.txt'])
          if (annotated.exitCode !== 0) throw unresolved(annotated.stderr)
          const packages = readCompiled(pylock, await readFile(join(folder, 'requirements.txt'), 'utf8'), {
            provides,
            sources: files,
          })
          const wrong = checkHashes(packages, asked)
          return wrong.length > 0 ? { conflicts: [...wrong, ...warnings] } : { packages, warnings }
        }
        const found = explainFailure(compiled.stderr, { asked, python, provides })
        if (found === undefined) throw unresolved(compiled.stderr)
        conflicts.push(found.conflict)
        const left = asked.filter((one) => !found.leaveOut.includes(one))
        if (left.length === asked.length) break
        asked = left
      }
      return { conflicts: [...conflicts, ...warnings] }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** Packages of the base image become wheels without content: constraints by address fix them, whatever the index has. */
async function writeBase(
  folder: string,
  provides: Readonly<Record<string, string>>,
  { python, sources }: { readonly python: string; readonly sources: readonly string[] },
): Promise<readonly string[]> {
  const known = Object.entries(provides).filter(([, version]) => valid(version) !== null)
  const lines = await Promise.all(
    known.map(async ([name, version]) => {
      const base = `${name.replaceAll('-', '_')}-${version}`
      const path = join(folder, `${base}-py3-none-any.whl`)
      const files = {
        [`${base}.dist-info/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
        [`${base}.dist-info/WHEEL`]:
          'Wheel-Version: 1.0\nGenerator: drydock\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
        [`${base}.dist-info/RECORD`]: '',
      }
      await writeFile(path, zipSync(Object.fromEntries(Object.entries(files).map(([at, text]) => [at, strToU8(text)]))))
      return `${name} @ ${pathToFileURL(path)}\n`
    }),
  )
  await writeFile(join(folder, 'base.txt'), lines.join(''))
  return [
    ...['--constraint', 'base.txt', '--python-version', python, '--python-platform', INSTALL_PLATFORM],
    ...['--no-header', '--quiet', '--only-binary', ':all:'],
    ...sources.flatMap((name) => ['--no-binary', name]),
  ]
}

async function writeRequirements(folder: string, asked: readonly Asked[]): Promise<Record<string, string>> {
  const files = [...Map.groupBy(asked, ({ from }) => from)].map(([from, those], at) => ({
    name: `${at}.in`,
    from,
    those,
  }))
  if (files.length === 0) files.push({ name: 'none.in', from: '', those: [] })
  for (const { name, those } of files)
    await writeFile(join(folder, name), those.map(({ text }) => `${text}\n`).join(''))
  return Object.fromEntries(files.map(({ name, from }) => [name, from]))
}

async function runUv(
  args: readonly string[],
  {
    command,
    env,
    folder,
    signal,
  }: {
    readonly command: string
    readonly env: Readonly<Record<string, string | undefined>>
    readonly folder: string
    readonly signal: AbortSignal | undefined
  },
): Promise<{ readonly exitCode: number; readonly stderr: string }> {
  const end = await runProgram({
    command,
    args: ['pip', 'compile', ...args],
    cwd: folder,
    env: { ...env, NO_COLOR: '1', UV_PYTHON_DOWNLOADS: 'never', GIT_TERMINAL_PROMPT: '0' },
    limitMs: SILENCE_MS,
    limits: 'no progress',
    onLine: () => undefined,
    signal,
  })
  if (end.kind === 'late') throw unresolved(`uv made no progress for ${SILENCE_MS / MINUTE_MS} minutes`)
  if (end.kind === 'missing') throw unresolved('uv vanished')
  return end
}

function unresolved(stderr: string): AppError {
  const why = stderr.slice(Math.max(0, stderr.search(/^error:/m))).trim()
  const python = NO_PYTHON.exec(why)?.[1]
  if (python !== undefined)
    return new AppError('NOT_DONE', {
      why: `Python packages are resolved with Python, and this machine has no Python ${python}. Install it, for example with \`uv python install ${python}\`, and lock the workflow again`,
    })
  const lines = why
    .replace(/^error: /, '')
    .split(/\r?\n/)
    .slice(-12)
  return new AppError('NOT_DONE', { why: `the Python packages were not resolved: ${lines.join('\n')}` })
}
