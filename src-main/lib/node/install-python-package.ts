import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MINUTE_MS } from '../units.ts'
import { runProgram } from './run-program.ts'

const INSTALLERS = [
  ['uv', 'pip', 'install', '--python', 'python3'],
  ['python3', '-m', 'pip', 'install', '--disable-pip-version-check'],
] as const
// Longest time without output or writes. Source: ours; packages have up to 60 MB.
const SILENCE_MS = 2 * MINUTE_MS

/**
 * Several processes may install at the same time; the first one to finish wins.
 * @param isComplete whether a folder holds the package
 * @returns the reason for the failure, as the end of a sentence
 */
export async function installPythonPackage({
  name,
  folder,
  isComplete,
  installing = () => undefined,
  env,
  signal,
}: {
  readonly name: string
  readonly folder: string
  readonly isComplete: (folder: string) => Promise<boolean>
  readonly installing?: (name: string) => void
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal | undefined
}): Promise<string | undefined> {
  if (await isComplete(folder)) return undefined
  installing(name)
  await mkdir(dirname(folder), { recursive: true })
  const fresh = await mkdtemp(`${folder}.new-`)
  try {
    const why = await installInto(fresh, name, { ...(env === undefined ? {} : { env }), signal })
    if (why !== undefined) return why
    if (!(await isComplete(fresh))) return `${name} lacks its files`
    await rename(fresh, folder).catch(async () => {
      if (await isComplete(folder)) return
      await rm(folder, { recursive: true, force: true })
      await rename(fresh, folder)
    })
    return undefined
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

async function installInto(
  fresh: string,
  name: string,
  options: { readonly env?: Readonly<Record<string, string | undefined>>; readonly signal?: AbortSignal | undefined },
): Promise<string | undefined> {
  for (const [command, ...args] of INSTALLERS) {
    const all = [...args, '--no-deps', '--target', fresh, name]
    const end = await runProgram({ command, args: all, limitMs: SILENCE_MS, limits: 'no progress', ...options })
    if (end.kind === 'missing') continue
    if (end.kind === 'late') return `${command} made no progress for ${SILENCE_MS / MINUTE_MS} minutes`
    return end.exitCode === 0 ? undefined : (end.stderr.trim().split('\n').at(-1) ?? `${command} failed`)
  }
  return 'neither uv nor python3 is installed'
}
