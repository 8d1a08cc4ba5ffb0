/**
 * Shells in the containers of workers. A shell is open until its program exits, its worker ends, somebody closes it,
 * nobody has read it for a minute, or the service stops. What it writes is held for readers up to a bound, and a
 * program that writes faster than it is read waits, as in any terminal. An ended one stays for a minute, so that its
 * reader learns why. Nothing that goes through a shell is logged.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { ShellOutput, ShellSize } from '../../contract/workers.ts'
import { isLive } from '../../domain/worker/transitions.ts'
import type { Fleet, FleetShell } from '../ports/fleet.ts'
import type { Clock, Log, NewId } from '../ports/system.ts'
import { createNotifier, type Notifier } from '../wait.ts'
import type { LiveWorker, WorkerRegistry } from '../worker-registry.ts'

/** The shells that are open. */
export type Shells = {
  /** @throws AppError SHELL_REFUSED, TOO_MANY_SHELLS, STOPPING */
  readonly open: (worker: LiveWorker, size: ShellSize) => Promise<Shell>
  /** undefined: there is none, or it ended more than a minute ago. */
  readonly get: (shellId: string) => Shell | undefined
  /** Ends all; none is opened any more. */
  readonly stop: () => Promise<void>
}

/** What shells need. */
export type ShellsDeps = {
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly fleet: Pick<Fleet, 'openShell'>
  readonly registry: Pick<WorkerRegistry, 'onMove'>
}

/** Makes the shells; none is open yet. */
export function createShells({ clock, newId, log, fleet, registry }: ShellsDeps): Shells {
  const shells = new Map<string, Shell>()
  let opening = 0
  let stopping = false
  const openNow = () => [...shells.values()].filter((shell) => !shell.hasEnded()).length + opening

  registry.onMove((worker) => {
    if (worker.state !== 'ended') return
    for (const shell of shells.values()) if (shell.workerId === worker.id) void shell.close(whyEnded(worker))
  })

  return {
    async open(worker, size) {
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
          // The shell of a worker that is asked to leave ends a moment before it.
          explain: (why) => (isLive(worker.state) ? why : whyEnded(worker)),
          onEnd: (why) => log.info('shell ended', { shellId: id, workerId, why }),
          onForgotten: () => void shells.delete(id),
        })
        shells.set(id, shell)
        log.info('shell opened', { shellId: id, workerId })
        // Whatever ended all shells in the meantime did not know this one.
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
    get: (shellId) => shells.get(shellId),
    async stop() {
      stopping = true
      await Promise.all([...shells.values()].map((shell) => shell.close('the service stops')))
    },
  }
}

function whyEnded({ reason }: LiveWorker): string {
  return `the worker has ended${reason === undefined ? '' : `: ${reason}`}`
}

// One shell from its opening to a minute after its end.

/** A shell as who reads and types sees it. */
export type Shell = {
  readonly id: string
  readonly workerId: string
  /** What runs in the terminal, like `bash`. */
  readonly program: string
  /** Notifies when it wrote something, or ended. */
  readonly notifier: Notifier
  /** What came after that many bytes; `ended` once nothing more comes. */
  readonly read: (after: number) => ShellOutput
  /** Somebody reads, until the function that is returned is called. */
  readonly watch: () => () => void
  readonly hasEnded: () => boolean
  readonly write: (text: string) => Promise<void>
  readonly resize: (size: ShellSize) => Promise<void>
  /** Ends it, for a reason that its reader gets. */
  readonly close: (why: string) => Promise<void>
}

/** What a shell needs. */
type OpenShellOptions = {
  readonly clock: Clock
  readonly fleet: Pick<Fleet, 'openShell'>
  readonly id: string
  readonly workerId: string
  readonly size: ShellSize
  /** Says better why it ended than its program does, where more is known. */
  readonly explain: (why: string) => string
  readonly onEnd: (why: string) => void
  /** Its reader has had time to learn of the end. */
  readonly onForgotten: () => void
}

/** Opens it. @throws Error with a reason for a person */
async function openShell(options: OpenShellOptions): Promise<Shell> {
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

/** What a terminal wrote, counted in bytes from its beginning. The newest are held, for a reader that comes back. */
type ShellBuffer = {
  readonly add: (bytes: Uint8Array) => void
  /** All that is held after that many bytes, and where it ends. */
  readonly read: (after: number) => { readonly bytes: Uint8Array; readonly end: number }
  /** Bytes that nobody has read yet. */
  readonly unread: () => number
}

/** Makes an empty buffer. */
function createShellBuffer(): ShellBuffer {
  let recent: Uint8Array[] = []
  let start = 0
  let end = 0
  let readTo = 0

  return {
    add(bytes) {
      recent.push(bytes)
      end += bytes.length
      // What nobody has read stays in any case: the program waits before it gets too much.
      while (recent[0] !== undefined && end - start - recent[0].length >= limit('shellKeptBytes')) {
        if (start + recent[0].length > readTo) break
        start += recent[0].length
        recent = recent.slice(1)
      }
    },
    read(after) {
      readTo = end
      const all = Buffer.concat(recent)
      return { bytes: all.subarray(Math.min(all.length, Math.max(0, after - start))), end }
    },
    unread: () => end - readTo,
  }
}
