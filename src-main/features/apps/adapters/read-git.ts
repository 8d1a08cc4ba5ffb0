import { type GitState, gitState } from '../../../contract/app.ts'
import { runProgram } from '../../../lib/node/run-program.ts'

// Time limit for git; without its answer, a deploy continues. In ms; source: ours.
const LIMIT_MS = 5000
const MESSAGE_LENGTH = 200
// Set by hooks and tools that run git, and would select another repository than the folder's.
const OF_ANOTHER = /^GIT_/

/** @returns undefined without a repository, a commit or git */
export async function readGit(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
  signal?: AbortSignal,
): Promise<GitState | undefined> {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !OF_ANOTHER.test(name)))
  const ask = async (...args: readonly string[]) => {
    const end = await runProgram({
      command: 'git',
      // A repository may name its own program for this; the options also prevent any writes.
      args: ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-C', folder, ...args],
      env: { ...own, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
      limitMs: LIMIT_MS,
      signal,
    })
    return end.kind === 'ended' && end.exitCode === 0 ? end.stdout : undefined
  }
  const [commit, branch, changes] = await Promise.all([
    ask('log', '-1', '--no-show-signature', '--format=%H %s'),
    ask('symbolic-ref', '--quiet', '--short', 'HEAD'),
    ask('status', '--porcelain', '--untracked-files=normal', '--', '.'),
  ])
  const [, hash, message = ''] = /^([0-9a-f]+) (.*)/.exec(commit ?? '') ?? []
  if (changes === undefined) return undefined
  const name = branch === undefined ? '' : plain(branch)
  return gitState.safeParse({
    commit: hash,
    ...(name === '' ? {} : { branch: name }),
    message: plain(message).slice(0, MESSAGE_LENGTH),
    clean: changes === '',
  }).data
}

const plain = (text: string) => text.replace(/\p{Cc}+/gu, ' ').trim()
