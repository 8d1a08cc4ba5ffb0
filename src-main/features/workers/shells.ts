/**
 * Shells in worker containers. A shell ends with its program or worker, on close, a minute after its last reader, or at
 * shutdown; output is bounded with backpressure. Ended shells stay a minute, and traffic is never logged.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { ShellOutput, ShellSize } from '../../contract/workers.ts'
import type { Clock, Log, NewId } from '../../lib/clock.ts'
import { createNotifier, type Notifier } from '../../lib/wait.ts'
import type { Fleet, FleetShell } from '../../runtimes/port.ts'
import type { LiveWorker, WorkerRegistry } from './registry/worker-registry.ts'
import { isLive } from './rules/transitions.ts'

export type Shells = ReturnType<typeof createShells>

export function createShells(deps: {
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly fleet: Pick<Fleet, 'openShell'>
  readonly registry: Pick<WorkerRegistry, 'onMove'>
}) {
  const { clock, newId, log, fleet, registry } = deps
  const shells = new Map<string, Shell>()
  let opening = 0
  let stopping = false
  const openNow = () => [...shells.values()].filter((shell) => !shell.hasEnded()).length + opening

  registry.onMove((worker) => {
    if (worker.state !== 'ended') return
    for (const shell of shells.values()) if (shell.workerId === worker.id) void shell.close(whyEnded(worker))
  })

  return {
    async open(worker: LiveWorker, size: ShellSize): Promise<Shell> {
      if (stopping) throw new AppError('STOPPING')
      if (openNow() >= limit('shells')) throw new AppError('TOO_MANY_SHELLS', { count: limit('shells') })
      opening += 1
      const id = newId.uuid()
      const { id: workerId } = worker
      try {
        const shell = await openShell({
          clock,
          fleet,
          id,
          workerId,
          size,
          explain: (why) => (isLive(worker.state) ? why : whyEnded(worker)),
          onEnd: (why) => log.info('shell ended', { shellId: id, workerId, why }),
          onForgotten: () => void shells.delete(id),
        })
        shells.set(id, shell)
        log.info('shell opened', { shellId: id, workerId })
        // The code that ended all shells meanwhile did not know this one yet.
        const late = stopping ? 'the service stops' : worker.state === 'ended' ? whyEnded(worker) : undefined
        if (late === undefined) return shell
        await shell.close(late)
        throw new Error(late)
      } catch (cause) {
        throw new AppError('SHELL_REFUSED', { workerId, why: (cause as Error).message }, { cause })
      } finally {
        opening -= 1
      }
    },
    get: (shellId: string): Shell | undefined => shells.get(shellId),
    async stop() {
      stopping = true
      await Promise.all([...shells.values()].map((shell) => shell.close('the service stops')))
    },
  }
}

function whyEnded({ reason }: LiveWorker): string {
  return `the worker has ended${reason === undefined ? '' : `: ${reason}`}`
}

export type Shell = {
  readonly id: string
  readonly workerId: string
  readonly program: string
  readonly notifier: Notifier
  readonly read: (after: number) => ShellOutput
  readonly watch: () => () => void
  readonly hasEnded: () => boolean
  readonly write: (text: string) => Promise<void>
  readonly resize: (size: ShellSize) => Promise<void>
  readonly close: (why: string) => Promise<void>
}

async function openShell(options: {
  readonly clock: Clock
  readonly fleet: Pick<Fleet, 'openShell'>
  readonly id: string
  readonly workerId: string
  readonly size: ShellSize
  readonly explain: (why: string) => string
  readonly onEnd: (why: string) => void
  readonly onForgotten: () => void
}): Promise<Shell> {
  const { clock, fleet, id, workerId, size, explain, onEnd, onForgotten } = options
  const notifier = createNotifier(clock)
  const buffer = createShellBuffer()
  let running: FleetShell | undefined
  let ended: string | undefined
  let readers = 0
  let cancelUnread = () => {}

  function end(why: string): void {
    if (ended !== undefined) return
    ended = why
    cancelUnread()
    clock.after(limit('shellUnreadMs'), onForgotten)
    onEnd(why)
    notifier.notify()
  }

  async function close(why: string): Promise<void> {
    if (ended !== undefined) return
    end(why)
    await running?.close()
  }

  function waitForReader(): void {
    const seconds = limit('shellUnreadMs') / 1000
    cancelUnread = clock.after(limit('shellUnreadMs'), () => void close(`nobody has read it for ${seconds} s`))
  }

  running = await fleet.openShell(workerId, size, {
    onBytes(bytes) {
      buffer.add(bytes)
      if (buffer.unread() > limit('shellUnreadBytes')) running?.hold(true)
      notifier.notify()
    },
    onEnd: (why) => end(explain(why)),
  })
  const { program, write, resize, hold } = running
  if (ended === undefined) waitForReader()

  return {
    id,
    workerId,
    program,
    notifier,
    read(after) {
      const { bytes, end: to } = buffer.read(after)
      if (ended === undefined) hold(false)
      const data = Buffer.from(bytes).toString('base64')
      return { end: to, data, ...(ended === undefined ? {} : { ended }) }
    },
    watch() {
      readers += 1
      cancelUnread()
      let isWatching = true
      return () => {
        if (!isWatching) return
        isWatching = false
        readers -= 1
        if (readers === 0 && ended === undefined) waitForReader()
      }
    },
    hasEnded: () => ended !== undefined,
    write,
    resize,
    close,
  }
}

function createShellBuffer() {
  let recent: Uint8Array[] = []
  let start = 0
  let end = 0
  let readTo = 0

  return {
    add(bytes: Uint8Array) {
      recent.push(bytes)
      end += bytes.length
      // Unread output stays: the program is throttled before it is too much.
      while (recent[0] !== undefined && end - start - recent[0].length >= limit('shellKeptBytes')) {
        if (start + recent[0].length > readTo) break
        start += recent[0].length
        recent = recent.slice(1)
      }
    },
    read(after: number): { readonly bytes: Uint8Array; readonly end: number } {
      readTo = end
      const all = Buffer.concat(recent)
      return { bytes: all.subarray(Math.min(all.length, Math.max(0, after - start))), end }
    },
    unread: (): number => end - readTo,
  }
}
