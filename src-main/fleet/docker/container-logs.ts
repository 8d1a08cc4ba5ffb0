/**
 * Follows the output of a container, line by line, each with the time at which the engine got it. The engine keeps the
 * output on disk and caps it, so that reading goes on where it stopped after a crash of the service.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type Docker from 'dockerode'
import { createLineBudget, LINE_COST_BYTES } from '../line-budget.ts'

/** A line and when it was written. `stamp` is the engine's own text of that time, to go on from. */
export type ContainerLine = { readonly text: string; readonly at: number; readonly stamp: string }

/** What follows a container's output. */
export type LogFollower = {
  /** Settles when the output has ended, or cannot be read any more. */
  readonly ended: Promise<void>
  readonly stop: () => void
}

const HEADER_BYTES = 8
// How long a worker that prints too fast is not listened to, ms; the engine keeps its last megabytes meanwhile.
const REST_MS = 100

/** What was written after `since` and is there now. */
export async function readContainerLogs(
  container: Docker.Container,
  since: string | undefined,
): Promise<readonly ContainerLine[]> {
  const bytes = await container.logs({ stdout: true, stderr: true, timestamps: true, ...sinceOption(since) })
  return createFrameCutter()(bytes).filter(isAfter(since))
}

const isAfter = (since: string | undefined) => (line: ContainerLine) => since === undefined || line.stamp > since

/**
 * Follows the output from `since` on.
 * @param since stamp of the last line that was stored; undefined: from the start
 * @param onLines gets whole lines, in order
 */
export async function followContainerLogs(
  container: Docker.Container,
  {
    since,
    onLines,
    now,
    after,
  }: {
    readonly since: string | undefined
    readonly onLines: (lines: readonly ContainerLine[]) => void
    readonly now: () => number
    readonly after: (ms: number, run: () => void) => () => void
  },
): Promise<LogFollower> {
  const stream = await container.logs({
    follow: true,
    stdout: true,
    stderr: true,
    timestamps: true,
    ...sinceOption(since),
  })
  const budget = createLineBudget(now)
  const cut = createFrameCutter()
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  let cancelRest: (() => void) | undefined

  stream.on('data', (bytes: Buffer) => {
    const lines = cut(bytes).filter(isAfter(since))
    budget.take(bytes.length + lines.length * LINE_COST_BYTES)
    if (lines.length > 0) onLines(lines)
    if (budget.left() > 0) return
    stream.pause()
    cancelRest = after(REST_MS, () => stream.resume())
  })
  for (const event of ['end', 'close', 'error']) stream.on(event, () => resolve())
  return {
    ended,
    stop() {
      cancelRest?.()
      if ('destroy' in stream && typeof stream.destroy === 'function') stream.destroy()
      resolve()
    },
  }
}

// Whole seconds: what comes twice is left out by its stamp.
function sinceOption(since: string | undefined): { readonly since?: number } {
  return since === undefined ? {} : { since: Math.floor(Date.parse(since) / 1000) }
}

/** Cuts the engine's frames (8 bytes of header, the last four the length) into lines; what is not whole waits. */
export function createFrameCutter(): (bytes: Buffer) => readonly ContainerLine[] {
  let rest: Buffer = Buffer.alloc(0)
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    const lines: ContainerLine[] = []
    while (rest.length >= HEADER_BYTES) {
      const length = rest.readUInt32BE(4)
      if (rest.length < HEADER_BYTES + length) break
      lines.push(...linesOf(rest.toString('utf8', HEADER_BYTES, HEADER_BYTES + length)))
      rest = rest.subarray(HEADER_BYTES + length)
    }
    return lines
  }
}

// A frame holds whole lines; only the last one of a container may lack its end.
function linesOf(frame: string): readonly ContainerLine[] {
  const lines = frame.endsWith('\n') ? frame.slice(0, -1).split('\n') : frame.split('\n')
  return lines.map((line) => {
    const space = line.indexOf(' ')
    const stamp = space === -1 ? line : line.slice(0, space)
    const text = space === -1 ? '' : line.slice(space + 1)
    return { text: text.endsWith('\r') ? text.slice(0, -1) : text, at: Date.parse(stamp), stamp }
  })
}

/** How far the output of each worker is stored, so that a later run of the service goes on there. */
export type ReadMarks = {
  /** Stamp of the last line that is stored; undefined where there is none. */
  readonly get: (workerId: string) => string | undefined
  readonly set: (workerId: string, stamp: string) => void
  readonly remove: (workerId: string) => void
  /** Removes all but those of these workers. */
  readonly keepOnly: (workerIds: ReadonlySet<string>) => void
}

const ENDING = '.stamp'

/** Keeps them in a folder, which is made if missing. A mark that is lost only means that lines are given twice. */
export function openReadMarks(folder: string): ReadMarks {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = (workerId: string) => join(folder, `${workerId}${ENDING}`)
  return {
    get(workerId) {
      try {
        return readFileSync(path(workerId), 'utf8') || undefined
      } catch {
        return undefined // nothing was stored yet
      }
    },
    set: (workerId, stamp) => writeFileSync(path(workerId), stamp, { mode: 0o600 }),
    remove: (workerId) => rmSync(path(workerId), { force: true }),
    keepOnly(workerIds) {
      for (const name of readdirSync(folder)) {
        if (name.endsWith(ENDING) && !workerIds.has(name.slice(0, -ENDING.length)))
          rmSync(join(folder, name), { force: true })
      }
    },
  }
}
