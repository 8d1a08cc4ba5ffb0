import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../shipped-files/root.ts'
import { CliError } from './cli-error.ts'
import type { Surroundings } from './surroundings.ts'

export type WindowPlan =
  | {
      readonly kind: 'window'
      readonly program: string
      readonly args: readonly string[]
      readonly needsBuild: boolean
    }
  | { readonly kind: 'browser'; readonly why: string }

export type WindowFacts = Pick<Surroundings, 'env' | 'platform'> & {
  readonly electron: string | undefined
  readonly isRoot: boolean
}

const MAIN = join(ROOT, 'out', 'shell', 'main.js')

/**
 * `DRYDOCK_DESKTOP` names the packaged application, which includes everything; `DRYDOCK_ELECTRON` another Electron than
 * this clone's.
 */
export function planWindow({ env, platform, electron, isRoot }: WindowFacts): WindowPlan {
  const packaged = env.DRYDOCK_DESKTOP
  const program = packaged || env.DRYDOCK_ELECTRON || electron
  if (!program)
    return { kind: 'browser', why: 'Electron is not installed (in a clone, `npm run electron` installs it)' }
  const why = whyNoScreen(env, platform)
  if (why !== undefined) return { kind: 'browser', why }
  // Chromium's sandbox does not work for root, and we do not start it without one; users can tell Electron to.
  if (isRoot && platform === 'linux' && !env.ELECTRON_DISABLE_SANDBOX)
    return { kind: 'browser', why: 'Electron does not run as root' }
  return packaged
    ? { kind: 'window', program, args: [], needsBuild: false }
    : { kind: 'window', program, args: [MAIN], needsBuild: true }
}

function whyNoScreen(env: WindowFacts['env'], platform: NodeJS.Platform): string | undefined {
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY)
    return 'there is no display (DISPLAY and WAYLAND_DISPLAY are not set)'
  // A user who is logged in over the network would open a window that nobody sees.
  if (platform !== 'linux' && env.SSH_CONNECTION) return 'this is a session over SSH'
  return undefined
}

/** Electron's program as installed by npm. Never downloads it, unlike requiring the package. */
export function installedElectron(root: string = ROOT): string | undefined {
  try {
    const folder = join(root, 'node_modules', 'electron')
    const program = join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8').trim())
    return existsSync(program) ? program : undefined
  } catch {
    return undefined
  }
}

/**
 * Forwards signals until the window has closed.
 * @throws CliError WINDOW_FAILED if it could not open or failed
 */
export async function runWindow(
  { program, args }: Pick<WindowPlan & { kind: 'window' }, 'program' | 'args'>,
  { data, port }: { readonly data: string; readonly port: number | undefined },
  { env, cwd, onStopSignal }: Pick<Surroundings, 'env' | 'cwd' | 'onStopSignal'>,
): Promise<void> {
  // With this variable Electron would act as plain Node.
  const { ELECTRON_RUN_AS_NODE: _node, ...rest } = env
  const options = ['--data', data, ...(port === undefined ? [] : ['--port', String(port)])]
  let passedOn: string | undefined
  // Registered before the window opens: an earlier signal would end only this process.
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
