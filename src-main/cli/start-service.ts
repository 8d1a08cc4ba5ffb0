import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceClient } from '../client/service-client.ts'
import { leftText } from '../domain/machines/left-behind.ts'
import { counted, durationText } from '../domain/text.ts'
import type { RunningServer, StartOptions } from '../server/main.ts'
import { canAsk } from './ask.ts'
import { CliError } from './cli-error.ts'
import type { Output } from './output.ts'
import type { StopSignal, Surroundings } from './surroundings.ts'

/**
 * Starts a service in this process. The server is loaded here, so that commands which only talk to one start quickly.
 * @throws CliError START_REFUSED (data folder in use, port taken), START_FAILED
 */
export async function startService(options: StartOptions): Promise<RunningServer> {
  const { startServer } = await import('../server/main.ts')
  return await tellingStartErrors(() => startServer(options))
}

/** The option that moves a data folder of another version aside. */
export const MOVE_ASIDE = [
  '--move-aside',
  'rename a data folder that another version of Drydock made, and start with an empty one',
] as const

/**
 * Starts a service like `startService`. A data folder of another version is moved aside if `moveAside` says so, or the
 * user at the terminal.
 */
export async function startOnUsableFolder(
  options: StartOptions,
  moveAside: true | undefined,
  output: Output,
  surroundings: Surroundings,
): Promise<RunningServer> {
  const folders = await import('../server/data-folder.ts')
  const { data } = options
  const isWanted = async () =>
    moveAside ??
    (canAsk(output, surroundings) &&
      (await surroundings.ask.yes(
        `Another version of Drydock made ${data}. Rename that folder and start with an empty one?`,
      )))
  try {
    return await startService(options)
  } catch (error) {
    const isOther = error instanceof CliError && error.body.code === folders.START_CODES.version
    if (!isOther || !(await isWanted())) throw error
    const moved = await tellingStartErrors(async () => folders.moveAside(data, surroundings.now()))
    output.note(`The data of the other version is now in ${moved}.`)
    return await startService(options)
  }
}

/**
 * Does work of the server in this process.
 * @param code of its failures; without it by their kind
 * @throws CliError START_REFUSED, START_FAILED or `code` for a StartError
 */
export async function tellingStartErrors<Result>(work: () => Promise<Result>, code?: 'NOT_RECOVERED'): Promise<Result> {
  const { StartError, START_CODES } = await import('../server/data-folder.ts')
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    const { kind, message } = error
    const body = code === undefined ? { body: { error: message, code: START_CODES[kind] } } : {}
    const byKind = kind === 'data' || kind === 'version' ? 'START_FAILED' : 'START_REFUSED'
    throw new CliError(code ?? byKind, { why: message }, { ...body, cause: error })
  }
}

/**
 * Works on a service of its own with a fresh data folder, of which nothing stays.
 * @param name of the folder, as in `drydock-demo-...`
 * @throws what `startService` and the work throw
 */
export async function onFreshService<Result>(
  name: string,
  work: (client: ServiceClient, server: RunningServer) => Promise<Result>,
): Promise<Result> {
  const { createClient } = await import('./client.ts')
  const data = await mkdtemp(join(tmpdir(), `drydock-${name}-`))
  try {
    const server = await startService({ data, port: 0, logLevel: 'silent' })
    try {
      return await work(createClient({ url: server.url, key: (await readFile(server.keyFile, 'utf8')).trim() }), server)
    } finally {
      await server.stop()
    }
  } finally {
    await rm(data, { recursive: true, force: true })
  }
}

/** What a shell shows for a process that a signal ended: 128 + the number of the signal. */
export const SIGNAL_EXITS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const satisfies Record<StopSignal, number>

// One press of Ctrl+C may arrive more than once: a terminal sends it to all of a group, and npm or `timeout` pass on
// what they get. In ms; source: ours, no person presses twice within it.
const ONE_PRESS_MS = 300

/** What a command does while its service is up. */
export type Phases = {
  /** Called once when the service answers; `stopping` is aborted when it is asked to stop. */
  readonly onUp: (server: RunningServer, stopping: AbortSignal) => void | Promise<void>
  /** Called once when the first signal has come, with a line for a person. */
  readonly onStopping: (text: string) => void
  /** What is left to do before it stops, while it still answers; never rejects. */
  readonly beforeStop?: (server: RunningServer) => Promise<void>
  /** Called once for each machine that could not be cleaned up, with a line for a person. */
  readonly onLeft?: (text: string) => void
}

/**
 * Runs a service until a signal asks it to stop, or it stops by itself. The first signal stops it gracefully, the
 * second ends the wait for running jobs, and the third ends the process at once. Signals are handled before the start,
 * because a program that reads the ready line may send one at that moment.
 * @throws what `start`, `onUp` or the stop of the service throws; the service does not stay up then
 */
export async function runService(
  start: () => Promise<RunningServer>,
  surroundings: Surroundings,
  { onUp, onStopping, beforeStop, onLeft }: Phases,
): Promise<void> {
  const stopping = new AbortController()
  let askedAt = Number.NEGATIVE_INFINITY
  let server: RunningServer | undefined
  let hurry: (() => void) | undefined
  const off = surroundings.onStopSignal((signal) => {
    const now = surroundings.now()
    const sinceMs = now - askedAt
    // Negative if the clock was set back: that is another press.
    if (sinceMs >= 0 && sinceMs <= ONE_PRESS_MS) return
    askedAt = now
    if (!stopping.signal.aborted) {
      onStopping(stoppingText(server))
      stopping.abort()
    } else if (hurry === undefined) surroundings.exitNow(SIGNAL_EXITS[signal])
    else {
      hurry()
      hurry = undefined
    }
  })
  let unwatch = () => {}
  try {
    server = await start()
    hurry = server.hurry
    if (stopping.signal.aborted) {
      await server.stop()
      return
    }
    unwatch = watchLauncher(server, surroundings)
    try {
      await Promise.all([server.stopped, stopOn(stopping.signal, server, beforeStop), onUp(server, stopping.signal)])
      for (const left of server.left()) onLeft?.(leftText(left))
    } catch (error) {
      await server.stop()
      throw error
    }
  } finally {
    unwatch()
    off()
  }
}

function stoppingText(server: RunningServer | undefined): string {
  const running = server?.runningJobs() ?? 0
  if (server === undefined || running === 0) return 'stopping ...'
  return `waiting for ${counted(running, 'running job')}, up to ${durationText(server.stopGraceMs)}; Ctrl+C again stops now`
}

/** Stops the service when it is asked to; resolves at once where it stops by itself. */
async function stopOn(
  signal: AbortSignal,
  server: RunningServer,
  beforeStop: Phases['beforeStop'] = async () => undefined,
): Promise<void> {
  const asked = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  await Promise.race([asked.then(() => beforeStop(server)), server.stopped])
  await server.stop()
}

// How often a service looks whether its launcher lives, in ms; source: ours, because one look costs 1 us.
const LAUNCHER_POLL_MS = 50
// What the service gets to tell its workers to stop when the launcher was killed, in ms; source: ours, because whoever
// killed it expects the data folder to be free at once.
const ORPHAN_STOP_MS = 100

/** Surroundings in which the end of standard input asks to stop, like a terminal that is closed. */
export function endingWithInput(surroundings: Surroundings): Surroundings {
  return {
    ...surroundings,
    onStopSignal(listener) {
      const off = surroundings.onStopSignal(listener)
      const offInput = surroundings.onInputEnd(() => listener('SIGHUP'))
      return () => {
        off()
        offInput()
      }
    },
  }
}

/**
 * Goes down with a launcher that was killed without a chance to pass the signal on: whoever killed it meant the
 * service. Does nothing where there is no launcher.
 */
function watchLauncher(server: RunningServer, { env, exitNow }: Surroundings): () => void {
  const launcher = Number(env.DRYDOCK_LAUNCHER_PID)
  if (!Number.isInteger(launcher) || process.ppid !== launcher) return () => {}
  const timer = setInterval(() => {
    if (process.ppid === launcher) return
    clearInterval(timer)
    setTimeout(() => exitNow(SIGNAL_EXITS.SIGTERM), ORPHAN_STOP_MS)
    server.stop().catch(() => {})
  }, LAUNCHER_POLL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
