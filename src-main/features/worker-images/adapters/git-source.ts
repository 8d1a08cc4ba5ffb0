import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { errorCode } from '../../../lib/error-code.ts'
import { runProgram } from '../../../lib/node/run-program.ts'
import { comfyuiVersionIn, factsOf, isOfInterest, type PackageFiles } from '../rules/package-facts.ts'
import { isCommit, isRef } from '../rules/source-address.ts'

// ms without progress. Source: ours; a large repository takes minutes, but never silently.
const LIMIT_MS = 60_000
const MOST_BYTES = 1024 * 1024
const MOST_FILES = 5000

export const GIT_OPTIONS = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'] as const

export function gitEnvironment(env: Readonly<Record<string, string | undefined>>) {
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_'))),
    // Without this list, an address like ext:: could start any program.
    GIT_ALLOW_PROTOCOL: 'https:ssh:file',
    GIT_TERMINAL_PROMPT: '0',
    GIT_SSH_COMMAND: env.GIT_SSH_COMMAND ?? 'ssh -o BatchMode=yes',
    LC_ALL: 'C',
  }
}

export function createGitSources(env: Readonly<Record<string, string | undefined>>) {
  const safe = gitEnvironment(env)

  async function git(args: readonly string[], signal: AbortSignal | undefined): Promise<string> {
    const end = await runProgram({
      ...{ command: 'git', args: [...GIT_OPTIONS, ...args], env: safe },
      ...{ limitMs: LIMIT_MS, limits: 'no progress', signal },
    })
    if (end.kind === 'missing') throw new Error('git is not installed')
    if (end.kind === 'late') throw new Error('git took too long')
    if (end.exitCode !== 0) throw new Error(reasonOf(end.stderr))
    return end.stdout
  }

  async function listRefs(repository: string, signal: AbortSignal | undefined) {
    const lines = (await git(['ls-remote', '--', repository], signal)).trim().split('\n')
    return new Map(
      lines.flatMap((line) => {
        const [commit = '', name = ''] = line.split('\t')
        return isCommit(commit) ? [[name, commit] as const] : []
      }),
    )
  }

  return {
    async commitOf(repository: string, ref: string | undefined, signal?: AbortSignal): Promise<string> {
      if (ref !== undefined && isCommit(ref)) return ref
      if (ref !== undefined && !isRef(ref)) throw new Error(`${ref} is not a branch, tag or commit`)
      const refs = await listRefs(repository, signal)
      const names = ref === undefined ? ['HEAD'] : [`refs/tags/${ref}^{}`, `refs/tags/${ref}`, `refs/heads/${ref}`]
      const named = names.map((name) => refs.get(name)).find((commit) => commit !== undefined)
      const shortened = /^[0-9a-f]{7,39}$/.test(ref ?? '') ? beginningWith(refs, ref ?? '') : []
      const commit = named ?? (shortened.length === 1 ? shortened[0] : undefined)
      if (commit !== undefined) return commit
      throw new Error(ref === undefined ? 'it has no default branch' : `it has no branch or tag ${ref}`)
    },
    async read(repository: string, commit: string, signal?: AbortSignal) {
      const folder = await mkdtemp(join(tmpdir(), 'drydock-source-'))
      const here = ['--git-dir', folder]
      try {
        await git(['init', '--quiet', '--bare', '--', folder], signal)
        await git([...here, 'remote', 'add', '--', 'origin', repository], signal)
        const fetch = ['fetch', '--quiet', '--depth=1', '--no-tags', `--filter=blob:limit=${MOST_BYTES}`]
        await git([...here, ...fetch, 'origin', commit], signal)
        const list = await git([...here, 'ls-tree', '-r', '-l', '-z', commit], signal)
        const files = new Map<string, string>()
        for (const path of list.split('\0').flatMap(smallFile))
          files.set(path, await git([...here, 'cat-file', 'blob', `${commit}:${path}`], signal))
        return factsIn(files)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
    async readFolder(folder: string, signal?: AbortSignal) {
      const files = new Map<string, string>()
      const hash = createHash('sha256')
      for (const path of await filesIn(folder)) {
        signal?.throwIfAborted()
        const bytes = await readFile(join(folder, path))
        hash.update(`${path}\0${createHash('sha256').update(bytes).digest('hex')}\n`)
        if (isOfInterest(path) && bytes.length <= MOST_BYTES) files.set(path, bytes.toString('utf8'))
      }
      return { ...factsIn(files), sha256: hash.digest('hex') }
    },
  }
}

const factsIn = (files: PackageFiles) => ({ ...factsOf(files), version: comfyuiVersionIn(files) })

const beginningWith = (refs: ReadonlyMap<string, string>, start: string) =>
  [...new Set(refs.values())].filter((commit) => commit.startsWith(start))

function smallFile(line: string): readonly string[] {
  const [, size = '', path = ''] = /^100\d+ blob [0-9a-f]+ +(\d+)\t(.+)$/.exec(line) ?? []
  return size !== '' && Number(size) <= MOST_BYTES && isOfInterest(path) ? [path] : []
}

// Made by running or cloning a package, so that a run does not change its hash.
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '__pycache__', '.venv', 'node_modules'])

async function filesIn(folder: string): Promise<readonly string[]> {
  const found: string[] = []
  const walk = async (within: string): Promise<void> => {
    const entries = await readdir(join(folder, within), { withFileTypes: true })
    for (const entry of entries) {
      const path = within === '' ? entry.name : `${within}/${entry.name}`
      if (LEFT_OUT.has(entry.name) || entry.name.endsWith('.pyc')) continue
      if (entry.isDirectory()) await walk(path)
      else if (entry.isFile()) found.push(path)
      if (found.length > MOST_FILES) throw new Error(`it has more than ${MOST_FILES} files`)
    }
  }
  await walk('').catch((error: unknown) => {
    throw errorCode(error) === 'ENOENT' ? new Error('there is no such folder', { cause: error }) : error
  })
  return found.map((path) => path.replaceAll(sep, '/')).sort()
}

export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

function reasonOf(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => /^(?:fatal|error|ssh|remote):/.test(line))
  return (lines[0] ?? stderr.trim()).replace(/^(?:fatal|error): /, '').slice(0, 300) || 'git failed'
}
