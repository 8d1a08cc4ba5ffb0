/** One shell from its opening to a minute after its end. */
import { limit } from '../../contract/limits.ts'
import type { ShellOutput, ShellSize } from '../../contract/shell.ts'
import { type Bell, createBell } from '../bell.ts'
import type { Clock, Fleet, FleetShell } from '../ports.ts'
import { createShellBuffer } from './shell-buffer.ts'

/** A shell as who reads and types sees it. */
export type Shell = {
  readonly id: string
  readonly workerId: string
  /** What runs in the terminal, like `bash`. */
  readonly program: string
  /** Rings when it wrote something, or ended. */
  readonly bell: Bell
  /** What came after that many bytes; `ended` once nothing more comes. */
  readonly read: (after: number) => ShellOutput
  /** Somebody reads, until the function that is returned is called. */
  readonly look: () => () => void
  readonly hasEnded: () => boolean
  readonly write: (text: string) => Promise<void>
  readonly resize: (size: ShellSize) => Promise<void>
  /** Ends it, for a reason that its reader is told. */
  readonly close: (why: string) => Promise<void>
}

/** What a shell needs. */
export type OpenShellOptions = {
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
export async function openShell(options: OpenShellOptions): Promise<Shell> {
  const { clock, fleet, id, workerId, size, explain, onEnd, onForgotten } = options
  const bell = createBell(clock)
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
    bell.ring()
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
      bell.ring()
    },
    onEnd: (why) => end(explain(why)),
  })
  const { program, write, resize, hold } = running
  if (ended === undefined) waitForReader()

  return {
    id,
    workerId,
    program,
    bell,
    read(after) {
      const { bytes, end: to } = buffer.read(after)
      if (ended === undefined) hold(false)
      const data = Buffer.from(bytes).toString('base64')
      return { end: to, data, ...(ended === undefined ? {} : { ended }) }
    },
    look() {
      readers += 1
      cancelUnread()
      let looks = true
      return () => {
        if (!looks) return
        looks = false
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
