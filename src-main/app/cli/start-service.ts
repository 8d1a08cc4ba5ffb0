import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { leftText } from '../../features/machines/rules/left-behind.ts'
import { OTHER_PROGRAM, START_CODES, StartError } from '../../lib/start-error.ts'
import { counted, durationText } from '../../lib/text.ts'
import type { ServiceClient } from '../client/service-client.ts'
import type { RunningServer, StartOptions } from '../headless/main.ts'
import { canAsk } from './ask.ts'
import { CliError } from './cli-error.ts'
import { createPressCheck, SIGNAL_EXITS } from './interrupt.ts'
import type { Output } from './output.ts'
import type { StopSignal, Surroundings } from './surroundings.ts'

/**
 * Loads the server lazily, so that client commands start quickly.
 * @param userData folder whose service or previews may use the port
 * @throws CliError START_REFUSED (data folder in use, port taken), START_FAILED
 */
export async function startService(options: StartOptions, userData = options.data): Promise<RunningServer> {
  const { startServer } = await import('../headless/main.ts')
  return await tellingStartErrors(() => namingPortOwner({ ...options, data: userData }, () => startServer(options)))
}

export async function namingPortOwner<Result>(
  { data, port = 0 }: Pick<StartOptions, 'data' | 'port'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StartError) || error.kind !== 'port-taken') throw error
    const { portOwner } = await import('./port-owner.ts')
    const owner = (await portOwner(data, port)) ?? OTHER_PROGRAM
    throw new StartError(
      error.kind,
      error.message.replace(OTHER_PROGRAM, () => owner),
      { cause: error },
    )
  }
}

export const MOVE_ASIDE = [
  '--move-aside',
  'rename a data folder that another version of Drydock made, and start with an empty one',
] as const

/** Moves a data folder of another version aside if `moveAside` or the user at the terminal agrees. */
export async function startOnUsableFolder(
  options: StartOptions,
  moveAside: true | undefined,
  output: Output,
  surroundings: Surroundings,
): Promise<RunningServer> {
  const folders = await import('../headless/data-folder.ts')
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
    const isOther = error instanceof CliError && error.body.code === START_CODES.version
    if (!isOther || !(await isWanted())) throw error
    const moved = await tellingStartErrors(async () => folders.moveAside(data, surroundings.now()))
    output.note(`The data of the other version is now in ${moved}.`)
    return await startService(options)
  }
}

export async function tellingStartErrors<Result>(work: () => Promise<Result>, code?: 'NOT_RECOVERED'): Promise<Result> {
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
 * Removes the temporary data folder at the end.
 * @param name of the folder, as in `drydock-demo-...`
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

export async function stoppable<Result>(
  { onStopSignal }: Pick<Surroundings, 'onStopSignal'>,
  why: (signal: StopSignal) => string,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController()
  const off = onStopSignal((signal) => stop.abort(new CliError('ABANDONED', { why: why(signal) })))
  try {
    return await task(stop.signal)
  } finally {
    off()
  }
}

export type Phases = {
  readonly onUp: (server: RunningServer, stopping: AbortSignal) => void | Promise<void>
  readonly onStopping: (text: string) => void
  readonly beforeStop?: (server: RunningServer) => Promise<void>
  readonly onLeft?: (text: string) => void
}

/**
 * The first signal stops gracefully, the second stops waiting for jobs, the third exits; handlers come first, as
 * readers of the ready line may signal at once.
 */
export async function runService(
  start: () => Promise<RunningServer>,
  surroundings: Surroundings,
  { onUp, onStopping, beforeStop, onLeft }: Phases,
): Promise<void> {
  const stopping = new AbortController()
  const isNewPress = createPressCheck(surroundings.now)
  let server: RunningServer | undefined
  let hurry: (() => void) | undefined
  const off = surroundings.onStopSignal((signal) => {
    if (!isNewPress()) return
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

async function stopOn(
  signal: AbortSignal,
  server: RunningServer,
  beforeStop: Phases['beforeStop'] = async () => undefined,
): Promise<void> {
  const asked = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  await Promise.race([asked.then(() => beforeStop(server)), server.stopped])
  await server.stop()
}

// ms between checks of the launcher. Source: ours, because one check costs 1 us.
const LAUNCHER_POLL_MS = 50
// ms to stop workers after the launcher was killed. Source: ours; the killer expects the data folder to be free at
// once.
const ORPHAN_STOP_MS = 100

/** Treats the end of standard input as a stop request, like a closed terminal. */
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

/** Stops with a launcher that was killed before it could forward the signal. */
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
