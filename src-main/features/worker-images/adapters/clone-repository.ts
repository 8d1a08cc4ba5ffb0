import { mkdtemp, realpath, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runProgram } from '../../../lib/node/run-program.ts'
import type { BuildSource } from '../rules/build-source.ts'

export type Clone = {
  readonly folder: string
  readonly commit: string
  readonly committedAt: Date
  readonly remove: () => Promise<void>
}

export type CloneOptions = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly report: (text: string) => void
  readonly signal: AbortSignal
}

// ms without progress of git; source: ours, a slow server begins to send within a minute.
const LIMIT_MS = 120_000
// Variables that select another repository; source: git rev-parse --local-env-vars.
const OF_ANOTHER =
  /^GIT_(?:ALTERNATE_OBJECT_DIRECTORIES|CEILING_DIRECTORIES|COMMON_DIR|DIR|GRAFT_FILE|IMPLICIT_WORK_TREE|INDEX_FILE|INTERNAL_SUPER_PREFIX|NAMESPACE|NO_REPLACE_OBJECTS|OBJECT_DIRECTORY|PREFIX|REPLACE_REF_BASE|SHALLOW_FILE|WORK_TREE)$/

export async function cloneRepository(
  { address, ref = 'HEAD', folder, isLocal }: Extract<BuildSource, { kind: 'git' }>,
  { cwd, env, report, signal }: CloneOptions,
): Promise<Clone> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'drydock-clone-')))
  const remove = () => rm(root, { recursive: true, force: true })
  const remote = isLocal && !address.startsWith('file:') ? pathToFileURL(resolve(cwd, address)).href : address
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !OF_ANOTHER.test(name)))

  async function git(...args: readonly string[]): Promise<string> {
    const end = await runProgram({
      command: 'git',
      // Hooks and a program that watches files could come from anywhere.
      args: ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-C', root, ...args],
      env: {
        ...own,
        GIT_TERMINAL_PROMPT: '0',
        LC_ALL: 'C',
        // A submodule of a foreign repository may not name a folder of this machine.
        GIT_ALLOW_PROTOCOL: isLocal ? 'https:ssh:file' : 'https:ssh',
      },
      limitMs: LIMIT_MS,
      limits: 'no progress',
      signal,
    })
    if (end.kind === 'missing') throw new Error('git was not found. Install it, or put it on the PATH')
    if (end.kind === 'late') throw new Error(`${address} did not answer for ${LIMIT_MS / 1000} s`)
    if (end.exitCode !== 0) throw new Error(`${address} cannot be cloned: ${reasonOf(end.stderr)}`)
    return end.stdout.trim()
  }

  try {
    report(`cloning ${address}`)
    await git('init', '--quiet', '--template=', '.')
    await git('remote', 'add', '--', 'origin', remote)
    await git('fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--', 'origin', ref)
    await git('checkout', '--quiet', '--detach', 'FETCH_HEAD')
    if (await isThere(join(root, '.gitmodules'))) {
      report(`cloning the submodules of ${address}`)
      await git('submodule', '--quiet', 'update', '--init', '--recursive', '--depth=1')
    }
    const [commit = '', seconds] = (await git('log', '-1', '--no-show-signature', '--format=%H %ct')).split(' ')
    const asked = await realpath(join(root, folder)).catch(() => undefined)
    if (asked === undefined) throw new Error(`${address} has no folder ${folder}`)
    const path = relative(root, asked)
    if (path === '..' || path.startsWith(`..${sep}`))
      throw new Error(`${folder} is a link to a path outside the repository`)
    return { folder: asked, commit, committedAt: new Date(Number(seconds) * 1000), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

function reasonOf(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const line = lines.find((each) => /^(?:fatal|error): /.test(each)) ?? lines.at(-1) ?? 'git gave no reason'
  return line.replace(/^(?:fatal|error): /, '').trim()
}
