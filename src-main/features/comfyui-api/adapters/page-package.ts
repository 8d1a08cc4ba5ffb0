/** ComfyUI's own page, from the Python index. */
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runProgram } from '../../../lib/node/run-program.ts'
import { MINUTE_MS } from '../../../lib/units.ts'

const PACKAGE = 'comfyui-frontend-package'
const INSTALLERS = [
  ['uv', 'pip', 'install', '--python', 'python3'],
  ['python3', '-m', 'pip', 'install', '--disable-pip-version-check'],
] as const
// Longest time without output or writes. Source: ours; the package has 60 MB.
const SILENCE_MS = 2 * MINUTE_MS

export const hasIndex = (folder: string): Promise<boolean> =>
  stat(join(folder, 'index.html')).then(
    (found) => found.isFile(),
    () => false,
  )

/**
 * Commands may install at the same time; the first one to finish wins. @returns the folder of the page, or the
 * reason for the failure, as the end of a sentence
 */
export async function installPage(
  cache: string,
  installing: (name: string) => void,
): Promise<{ readonly folder: string } | { readonly why: string }> {
  const folder = staticFolder(cache)
  if (await hasIndex(folder)) return { folder }
  installing(PACKAGE)
  await mkdir(dirname(cache), { recursive: true })
  const fresh = await mkdtemp(`${cache}.new-`)
  try {
    const why = await installInto(fresh)
    if (why !== undefined) return { why }
    await rename(fresh, cache).catch(async () => {
      if (await hasIndex(folder)) return
      await rm(cache, { recursive: true, force: true })
      await rename(fresh, cache)
    })
    return { folder }
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

const staticFolder = (installed: string) => join(installed, 'comfyui_frontend_package', 'static')

/** @returns the reason for the failure */
async function installInto(fresh: string): Promise<string | undefined> {
  for (const [command, ...args] of INSTALLERS) {
    const all = [...args, '--no-deps', '--target', fresh, PACKAGE]
    const end = await runProgram({ command, args: all, limitMs: SILENCE_MS, limits: 'no progress' })
    if (end.kind === 'missing') continue
    if (end.kind === 'late') return `${command} made no progress for ${SILENCE_MS / MINUTE_MS} minutes`
    if (end.exitCode !== 0) return end.stderr.trim().split('\n').at(-1) ?? `${command} failed`
    return (await hasIndex(staticFolder(fresh))) ? undefined : `${PACKAGE} contains no page`
  }
  return 'neither uv nor python3 is installed'
}
