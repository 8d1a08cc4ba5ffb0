/**
 * Packages of others that tests use, each in a folder of the cache that is filled once and kept. Test files run at the
 * same time, so the first one fills it and the others wait.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The folder of all of them. */
export const CACHE = fileURLToPath(new URL('../../node_modules/.cache/drydock', import.meta.url))
/**
 * Some forty packages take 36 s of the processor, which is minutes where a machine has much more to do; an index that does
 * not answer ends pip by itself. In ms.
 */
export const INSTALL_LIMIT_MS = 600_000
const LOOK_MS = 200

const run = promisify(execFile)

/** A folder of packages, or why there is none. */
export type PackageFolder = { readonly ready: boolean; readonly folder: string; readonly reason: string }

/**
 * Gives a folder; fills it if nobody has yet.
 * @param name with the version
 * @param line the command line that fills it
 */
export async function prepareFolder(name: string, line: (folder: string) => readonly string[]): Promise<PackageFolder> {
  const folder = join(CACHE, name)
  mkdirSync(CACHE, { recursive: true })
  const release = await lock(`${folder}.lock`)
  try {
    if (existsSync(join(folder, 'complete'))) return { ready: true, folder, reason: '' }
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    const [program = '', ...args] = line(folder)
    await run(program, args, { timeout: INSTALL_LIMIT_MS, killSignal: 'SIGKILL' })
    writeFileSync(join(folder, 'complete'), '')
    return { ready: true, folder, reason: '' }
  } catch (error) {
    return { ready: false, folder, reason: `${name} could not be installed: ${lastLine(error)}` }
  } finally {
    release()
  }
}

/** The command line that installs packages of npm into a folder, without their scripts. */
export function npmInstall(folder: string, ...packages: readonly string[]): readonly string[] {
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save']
  return ['npm', 'install', '--prefix', folder, ...quiet, ...packages]
}

/** The end of what a command said that failed. */
export function lastLine(error: unknown): string {
  const { stderr = '', message } = error as Error & { stderr?: string }
  return (stderr.trim() || message).split('\n').at(-1)?.slice(0, 200) ?? ''
}

/** Waits for the lock; one whose owner has died is taken over. */
export async function lock(path: string): Promise<() => void> {
  for (;;) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' })
      return () => rmSync(path, { force: true })
    } catch {
      // somebody has it
    }
    const owner = Number(readIfThere(path) ?? 0)
    if (owner > 0 && !lives(owner)) rmSync(path, { force: true })
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The text of a file; undefined: there is none. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
