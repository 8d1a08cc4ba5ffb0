/** Whether `drydock start` can open the desktop window, and how; where it cannot, the reason in a few words. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CliError } from './cli-error.ts'
import type { Surroundings } from './surroundings.ts'

/** How the window is opened, or why it is not. */
export type WindowPlan =
  | {
      readonly kind: 'window'
      readonly program: string
      readonly args: readonly string[]
      readonly needsBuild: boolean
    }
  | { readonly kind: 'browser'; readonly why: string }

/** What the plan depends on. */
export type WindowFacts = Pick<Surroundings, 'env' | 'platform'> & {
  /** Electron's program; undefined where it was not fetched. */
  readonly electron: string | undefined
  readonly isRoot: boolean
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MAIN = join(ROOT, 'out', 'shell', 'main.js')

/**
 * Plans it. `DRYDOCK_DESKTOP` names the packaged application, which brings all along; `DRYDOCK_ELECTRON` an Electron
 * other than that of this clone.
 */
export function planWindow({ env, platform, electron, isRoot }: WindowFacts): WindowPlan {
  const packaged = env.DRYDOCK_DESKTOP
  const program = packaged || env.DRYDOCK_ELECTRON || electron
  if (!program)
    return { kind: 'browser', why: 'Electron is not installed (in a clone, `npm run electron` installs it)' }
  const why = whyNoScreen(env, platform)
  if (why !== undefined) return { kind: 'browser', why }
  // Chromium's sandbox does not work for root, and we start nothing without it; who wants that says so to Electron.
  if (isRoot && platform === 'linux' && !env.ELECTRON_DISABLE_SANDBOX)
    return { kind: 'browser', why: 'Electron does not run as root' }
  return packaged
    ? { kind: 'window', program, args: [], needsBuild: false }
    : { kind: 'window', program, args: [MAIN], needsBuild: true }
}

function whyNoScreen(env: WindowFacts['env'], platform: NodeJS.Platform): string | undefined {
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY)
    return 'there is no display (DISPLAY and WAYLAND_DISPLAY are not set)'
  // Somebody who came over the network would open a window where nobody sits.
  if (platform !== 'linux' && env.SSH_CONNECTION) return 'this is a session over SSH'
  return undefined
}

/**
 * Electron's program as npm put it there; undefined where it was not fetched. Never fetches it, as requiring it would.
 */
export function installedElectron(root: string = ROOT): string | undefined {
  try {
    const folder = join(root, 'node_modules', 'electron')
    const program = join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8').trim())
    return existsSync(program) ? program : undefined
  } catch {
    return undefined // No path.txt: the binary was never fetched, or Electron is not installed.
  }
}

/**
 * Opens the window and waits until it has ended; a signal to this process is passed on.
 * @throws CliError WINDOW_FAILED where it could not be opened, or ended with a failure
 */
export async function runWindow(
  { program, args }: Pick<WindowPlan & { kind: 'window' }, 'program' | 'args'>,
  { data, port }: { readonly data: string; readonly port: number | undefined },
  { env, cwd, onStopSignal }: Pick<Surroundings, 'env' | 'cwd' | 'onStopSignal'>,
): Promise<void> {
  // With it Electron would be a plain Node.
  const { ELECTRON_RUN_AS_NODE: _node, ...rest } = env
  const options = ['--data', data, ...(port === undefined ? [] : ['--port', String(port)])]
  let passedOn: string | undefined
  // Before the window is there: a signal that came in between would end this process alone.
  const off = onStopSignal((signal) => {
    passedOn = signal
    child.kill(signal)
  })
  const childEnv = { ...rest, DRYDOCK_NODE: process.execPath }
  const child = spawn(program, [...args, ...options], { cwd, env: childEnv, stdio: 'inherit' })
  const ended = Promise.withResolvers<string | undefined>()
  child.once('error', (error) => ended.resolve(error.message))
  child.once('close', (code, signal) => {
    const asAsked = code === 0 || (signal !== null && signal === passedOn)
    ended.resolve(asAsked ? undefined : `it ended with ${signal ?? code}`)
  })
  const why = await ended.promise
  off()
  if (why !== undefined) throw new CliError('WINDOW_FAILED', { why })
}
