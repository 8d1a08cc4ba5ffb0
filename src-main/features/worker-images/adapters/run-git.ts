/** git for repositories of strangers: no prompts, hooks or other transports. Source: docs/spec/worker-images.md, 1.3. */
import { stat } from 'node:fs/promises'
import { runProgram } from '../../../lib/node/run-program.ts'

export type GitOptions = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal | undefined
  readonly protocols?: string
}

// ms without progress. Source: ours; a large repository takes minutes, but never silently.
const LIMIT_MS = 120_000
// Variables that select another repository; source: git rev-parse --local-env-vars.
const OF_ANOTHER =
  /^GIT_(?:ALTERNATE_OBJECT_DIRECTORIES|CEILING_DIRECTORIES|COMMON_DIR|DIR|GRAFT_FILE|IMPLICIT_WORK_TREE|INDEX_FILE|INTERNAL_SUPER_PREFIX|NAMESPACE|NO_REPLACE_OBJECTS|OBJECT_DIRECTORY|PREFIX|REPLACE_REF_BASE|SHALLOW_FILE|WORK_TREE)$/

export const GIT_OPTIONS = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'] as const

export const gitEnvironment = ({ env, protocols = 'https:ssh:file' }: Pick<GitOptions, 'env' | 'protocols'>) => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !OF_ANOTHER.test(name))),
  // Without this list, an address like ext:: could start any program.
  GIT_ALLOW_PROTOCOL: protocols,
  GIT_TERMINAL_PROMPT: '0',
  GIT_SSH_COMMAND: env.GIT_SSH_COMMAND ?? 'ssh -o BatchMode=yes',
  LC_ALL: 'C',
})

export async function runGit(args: readonly string[], { signal, ...options }: GitOptions): Promise<string> {
  const end = await runProgram({
    ...{ command: 'git', args: [...GIT_OPTIONS, ...args], env: gitEnvironment(options) },
    ...{ limitMs: LIMIT_MS, limits: 'no progress', signal },
  })
  if (end.kind === 'missing') throw new Error('git was not found. Install it, or put it on the PATH')
  if (end.kind === 'late') throw new Error(`git made no progress for ${LIMIT_MS / 1000} s`)
  if (end.exitCode !== 0) throw new Error(reasonOf(end.stderr))
  return end.stdout
}

export async function fetchCommit(
  folder: string,
  { repository, commit, filter = [] }: { repository: string; commit: string; filter?: readonly string[] },
  options: GitOptions,
): Promise<void> {
  await requireRepository(repository)
  await runGit(['init', '--quiet', '--bare', '--template=', '--', folder], options)
  const git = (...args: readonly string[]) => runGit(['--git-dir', folder, ...args], options)
  await git('remote', 'add', '--', 'origin', repository)
  // Also of this machine: the settings of a foreign repository name programs that filter files or fetch missing ones.
  await git('fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', ...filter, '--', 'origin', commit)
}

export async function requireRepository(repository: string): Promise<void> {
  if (!isAddress(repository) && !(await isFolder(repository))) throw new Error(absentFolder(repository))
}

export const absentFolder = (folder: string): string =>
  `there is no folder ${folder}. Paths in a lock are relative to the lock: put the folder there, or lock the workflow again`

/** Or the short form of ssh, user@host:path. */
export const isAddress = (repository: string): boolean => /^[\w+.-]+:\/\/|^[\w.-]+@[\w.-]+:/.test(repository)

export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

function reasonOf(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const line = lines.find((one) => /^(?:fatal|error|ssh|remote):/.test(one)) ?? lines.at(-1) ?? 'git gave no reason'
  return line.replace(/^(?:fatal|error): /, '').slice(0, 300)
}
