import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { errorCode } from '../../../lib/error-code.ts'
import type { LockPorts, ReadFacts } from '../ports.ts'
import { isCommit, isRef } from '../rules/source-address.ts'
import { fetchCommit, type GitOptions, requireRepository, runGit } from './run-git.ts'

const MOST_BYTES = 1024 * 1024
const MOST_FILES = 5000

export function createGitSources(env: GitOptions['env'], readFacts: ReadFacts): LockPorts['git'] {
  async function listRefs(repository: string, signal: AbortSignal | undefined) {
    await requireRepository(repository)
    const lines = (await runGit(['ls-remote', '--', repository], { env, signal })).trim().split('\n')
    return new Map(
      lines.flatMap((line) => {
        const [commit = '', name = ''] = line.split('\t')
        return isCommit(commit) ? [[name, commit] as const] : []
      }),
    )
  }

  return {
    async commitOf(repository, ref, signal) {
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
    async read(repository, commit, signal) {
      const folder = await mkdtemp(join(tmpdir(), 'drydock-source-'))
      const [bare, tree, list] = [join(folder, 'git'), join(folder, 'tree'), join(folder, 'files')]
      const git = (...args: readonly string[]) => runGit(['--git-dir', bare, ...args], { env, signal })
      try {
        await mkdir(tree)
        const filter = [`--filter=blob:limit=${MOST_BYTES}`]
        await fetchCommit(bare, { repository, commit, filter }, { env, signal })
        // Its own attributes could name filters, which are programs of this machine.
        await mkdir(join(bare, 'info'), { recursive: true })
        await writeFile(join(bare, 'info/attributes'), '* -filter -text -ident -working-tree-encoding\n')
        const files = (await git('ls-tree', '-r', '-l', '-z', commit)).split('\0').flatMap(smallFile)
        await writeFile(list, files.join('\0'))
        const only = [`--pathspec-from-file=${list}`, '--pathspec-file-nul']
        if (files.length > 0)
          await git('--work-tree', tree, '--literal-pathspecs', 'checkout', '--quiet', ...only, commit)
        return await readFacts(tree, signal)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
    async readFolder(folder, signal) {
      const sha256 = await hashFolder(folder, signal)
      return { ...(await readFacts(folder, signal)), sha256 }
    },
  }
}

const beginningWith = (refs: ReadonlyMap<string, string>, start: string) =>
  [...new Set(refs.values())].filter((commit) => commit.startsWith(start))

function smallFile(line: string): readonly string[] {
  const [, size = '', path = ''] = /^100\d+ blob [0-9a-f]+ +(\d+)\t(.+)$/s.exec(line) ?? []
  return size !== '' && Number(size) <= MOST_BYTES ? [path] : []
}

export async function hashFolder(folder: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for (const path of await filesIn(folder)) {
    signal?.throwIfAborted()
    const content = createHash('sha256').update(await readFile(join(folder, path)))
    hash.update(`${path}\0${content.digest('hex')}\n`)
  }
  return hash.digest('hex')
}

// Made by running or cloning a package, so that a run does not change its hash.
export const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '__pycache__', '.venv', 'node_modules'])

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
