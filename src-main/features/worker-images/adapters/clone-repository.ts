import { mkdtemp, realpath, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BuildSource } from '../rules/build-source.ts'
import { runGit } from './run-git.ts'

export type CloneOptions = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly report: (text: string) => void
  readonly signal: AbortSignal
}

export async function cloneRepository(
  { address, ref = 'HEAD', folder, isLocal }: Extract<BuildSource, { kind: 'git' }>,
  { cwd, env, report, signal }: CloneOptions,
) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'drydock-clone-')))
  const remove = () => rm(root, { recursive: true, force: true })
  const remote = isLocal && !address.startsWith('file:') ? pathToFileURL(resolve(cwd, address)).href : address
  // A submodule of a foreign repository may not name a folder of this machine.
  const options = { env, signal, protocols: isLocal ? 'https:ssh:file' : 'https:ssh' }
  const git = (...args: readonly string[]) =>
    runGit(['-C', root, ...args], options).catch((error: Error) => {
      signal.throwIfAborted()
      throw new Error(`${address} cannot be cloned: ${error.message}`, { cause: error })
    })

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
    const [commit = '', seconds] = (await git('log', '-1', '--no-show-signature', '--format=%H %ct')).trim().split(' ')
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
