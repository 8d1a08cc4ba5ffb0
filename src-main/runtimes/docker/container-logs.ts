/** The engine keeps output on disk, so reading resumes after a crash of the service. */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type Docker from 'dockerode'
import { createLineBudget, LINE_COST_BYTES } from '../line-budget.ts'

/** `stamp` is the engine's own time text, from which reading resumes. */
export type ContainerLine = { readonly text: string; readonly at: number; readonly stamp: string }

export type LogFollower = {
  readonly ended: Promise<void>
  readonly stop: () => void
}

const HEADER_BYTES = 8
// Pause for a worker that prints too fast, ms; the engine buffers its last megabytes.
const REST_MS = 100

export async function readContainerLogs(
  container: Docker.Container,
  since: string | undefined,
): Promise<readonly ContainerLine[]> {
  const bytes = await container.logs({ stdout: true, stderr: true, timestamps: true, ...sinceOption(since) })
  return createFrameCutter()(bytes).filter(isAfter(since))
}

const isAfter = (since: string | undefined) => (line: ContainerLine) => since === undefined || line.stamp > since

export async function followContainerLogs(
  container: Docker.Container,
  options: {
    readonly since: string | undefined
    readonly tail?: number
    readonly follow?: boolean
    readonly onLines: (lines: readonly ContainerLine[]) => void
    readonly now: () => number
    readonly after: (ms: number, run: () => void) => () => void
  },
): Promise<LogFollower> {
  const { since, tail, onLines, now, after } = options
  const wish = {
    stdout: true,
    stderr: true,
    timestamps: true,
    ...sinceOption(since),
    ...(tail === undefined ? {} : { tail }),
  }
  const stream: NodeJS.ReadableStream =
    options.follow === false
      ? Readable.from([await container.logs(wish)])
      : await container.logs({ ...wish, follow: true })
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

// Whole seconds; repeated lines are dropped by their stamp.
function sinceOption(since: string | undefined): { readonly since?: number } {
  return since === undefined ? {} : { since: Math.floor(Date.parse(since) / 1000) }
}

/** Splits the engine's frames (8-byte headers ending with the length) into lines. */
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

function linesOf(frame: string): readonly ContainerLine[] {
  const lines = frame.endsWith('\n') ? frame.slice(0, -1).split('\n') : frame.split('\n')
  return lines.map((line) => {
    const space = line.indexOf(' ')
    const stamp = space === -1 ? line : line.slice(0, space)
    const text = space === -1 ? '' : line.slice(space + 1)
    return { text: text.endsWith('\r') ? text.slice(0, -1) : text, at: Date.parse(stamp), stamp }
  })
}

export type ReadMarks = ReturnType<typeof openReadMarks>

const ENDING = '.stamp'

/** Creates a missing folder. A lost mark only repeats lines. */
export function openReadMarks(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = (workerId: string) => join(folder, `${workerId}${ENDING}`)
  return {
    get(workerId: string): string | undefined {
      try {
        return readFileSync(path(workerId), 'utf8') || undefined
      } catch {
        return undefined
      }
    },
    set: (workerId: string, stamp: string) => writeFileSync(path(workerId), stamp, { mode: 0o600 }),
    remove: (workerId: string) => rmSync(path(workerId), { force: true }),
    keepOnly(workerIds: ReadonlySet<string>) {
      for (const name of readdirSync(folder)) {
        if (name.endsWith(ENDING) && !workerIds.has(name.slice(0, -ENDING.length)))
          rmSync(join(folder, name), { force: true })
      }
    },
  }
}
