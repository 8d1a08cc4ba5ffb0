/**
 * One container that runs: its output, its end, its stop. Its end is reported once, after all of its output, and then
 * it is removed. While the engine is away nothing is known of it; when the engine is back it is looked at again.
 */

import { constants } from 'node:os'
import type Docker from 'dockerode'
import { GIB, MIB } from '../../contract/units.ts'
import type { FleetWorker, WorkerExit, WorkerOutput } from '../../services/ports/fleet.ts'
import type { Clock, Log } from '../../services/ports/system.ts'
import {
  type ContainerLine,
  followContainerLogs,
  type LogFollower,
  type ReadMarks,
  readContainerLogs,
} from './container-logs.ts'
import type { ContainerEvent } from './engine.ts'
import { KILLED, NOT_FOUND, statusOf } from './engine-messages.ts'

/** A container that runs. */
export type ContainerWorker = {
  readonly container: Docker.Container
  readonly facts: FleetWorker
  readonly onEvent: (event: ContainerEvent) => void
  /** The engine is back: events were missed. */
  readonly checkAgain: () => Promise<void>
  /** Settles when it is removed. */
  readonly stop: (graceMs: number) => Promise<void>
  readonly pause: () => Promise<void>
  readonly resume: () => Promise<void>
}

// The rest of the output comes at once when a container has ended; an engine that hangs must not hide the end, ms.
const REST_OF_OUTPUT_MS = 2000
// The engine may note that the kernel killed it for its memory a moment after it reports the end, ms; source: ours.
const OOM_LATE_MS = 100
const SIGTERM = '15'

/** Begins to follow a container that runs. */
export function createContainerWorker({
  clock,
  log,
  container,
  facts,
  marks,
  onOutput,
  onEnd,
  onLeft,
}: {
  readonly clock: Clock
  readonly log: Log
  readonly container: Docker.Container
  readonly facts: FleetWorker
  readonly marks: ReadMarks
  readonly onOutput: (output: WorkerOutput) => void
  readonly onEnd: (exit: WorkerExit) => void
  /** The engine could not remove it. */
  readonly onLeft: () => void
}): ContainerWorker {
  const { workerId } = facts
  const removed = Promise.withResolvers<void>()
  let last = marks.get(workerId)
  let follower = follow()
  let ending = false
  let paused = false
  let hasReported = false
  // An engine that ends stops its containers first, and so does a person: neither is a fault of the worker.
  let stoppedByOthers = false
  let ranOutOfMemory = false
  let cancelKill: (() => void) | undefined

  function reportLines(lines: readonly ContainerLine[]): void {
    const stamp = lines.at(-1)?.stamp
    if (stamp === undefined) return
    last = stamp
    onOutput({
      workerId,
      lines: lines.map(({ text }) => text),
      writtenAt: lines.map(({ at }) => at),
      at: clock.now(),
      stored: () => {
        if (!ending) marks.set(workerId, stamp)
      },
    })
  }

  async function follow(): Promise<LogFollower | undefined> {
    const { steady, after } = clock
    try {
      return await followContainerLogs(container, {
        since: last,
        now: steady,
        after,
        onLines: reportLines,
      })
    } catch (error) {
      log.warn('output of a container cannot be read', { workerId, error })
      return undefined
    }
  }

  async function end(blame: 'its own' | 'of the engine'): Promise<void> {
    if (ending) return
    ending = true
    const state = await inspect()
    if (state === 'nobody says') {
      ending = false // looked at again when the engine is back
      return
    }
    cancelKill?.()
    await Promise.race([(await follower)?.ended, wait(clock, REST_OF_OUTPUT_MS)])
    ;(await follower)?.stop()
    // An engine may end the stream before the last line that has no end.
    reportLines(await readContainerLogs(container, last).catch(() => []))
    marks.remove(workerId)
    const OOMKilled = state !== undefined && (await isOutOfMemory(state.State))
    const exit = exitOf({ ...state?.State, OOMKilled }, state?.HostConfig.Memory)
    const isOwn = blame === 'its own' || OOMKilled
    onEnd({ workerId, ...exit, ...(isOwn ? {} : { reason: 'the Docker engine stopped it', blameless: true }) })
    await removeContainer(container, (error) => {
      log.warn('container not removed', { workerId, error })
      onLeft()
    })
    removed.resolve()
  }

  async function isOutOfMemory({ OOMKilled, ExitCode }: Docker.ContainerInspectInfo['State']): Promise<boolean> {
    if (OOMKilled || ranOutOfMemory) return true
    if (ExitCode !== KILLED || hasReported) return false
    await wait(clock, OOM_LATE_MS)
    const state = await inspect()
    return ranOutOfMemory || (typeof state === 'object' && state.State.OOMKilled)
  }

  async function inspect(): Promise<Docker.ContainerInspectInfo | undefined | 'nobody says'> {
    try {
      return await container.inspect()
    } catch (error) {
      return statusOf(error) === NOT_FOUND ? undefined : 'nobody says'
    }
  }

  /** @returns false when the engine does not answer */
  async function signal(name: 'SIGTERM' | 'SIGKILL'): Promise<boolean> {
    try {
      await container.kill({ signal: name })
      return true
    } catch (error) {
      if (statusOf(error) === undefined) return false
      // It has ended, and its event is on the way or was missed.
      const state = await inspect()
      if (state === undefined || (state !== 'nobody says' && !state.State.Running)) void end('its own')
      return true
    }
  }

  async function resume(): Promise<void> {
    paused = false
    await container.unpause()
  }

  return {
    container,
    facts,
    onEvent: ({ action, attributes }) => {
      if (action === 'kill' && attributes.signal === SIGTERM && !hasReported) stoppedByOthers = true
      if (action === 'oom') ranOutOfMemory = true
      if (action === 'die') void end(stoppedByOthers ? 'of the engine' : 'its own')
    },
    async checkAgain() {
      const state = await inspect()
      if (state === 'nobody says') return
      if (state === undefined || !state.State.Running) return end('of the engine')
      follower = follow() // the old stream ended with the engine
      if (hasReported) await signal('SIGKILL')
    },
    async stop(graceMs) {
      hasReported = true
      cancelKill?.()
      if (graceMs > 0) cancelKill = clock.after(graceMs, () => void signal('SIGKILL'))
      if (graceMs > 0 && paused) await resume().catch(() => undefined) // a frozen one reacts to nothing
      // An engine that is away is not waited for: the container is ended when it is back, or by the next service.
      if (await signal(graceMs > 0 ? 'SIGTERM' : 'SIGKILL')) await removed.promise
    },
    async pause() {
      paused = true
      await container.pause()
    },
    resume,
  }
}

/** Removes a container, which may be gone already. `onRefused`: it stays, as the engine that comes or goes refuses. */
export async function removeContainer(container: Docker.Container, onRefused: (error: unknown) => void): Promise<void> {
  await container.remove({ force: true, v: true }).catch((error) => {
    if (statusOf(error) !== NOT_FOUND) onRefused(error)
  })
}

function wait(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve))
}

/** The end of a container as the engine tells it. */
type ContainerEnd = {
  readonly ExitCode?: number | undefined
  readonly OOMKilled?: boolean | undefined
  readonly Error?: string | undefined
}

// A shell and the init process report the death by a signal as 128 and its number.
const SIGNAL_BASE = 128

/** How a container ended, in the form of the fleet port. @param memoryBytes its limit */
export function exitOf(
  { ExitCode, OOMKilled, Error: error }: ContainerEnd,
  memoryBytes: number | undefined,
): { readonly code: number | undefined; readonly signal: string | undefined; readonly reason: string | undefined } {
  const signal = Object.entries(constants.signals).find(([, n]) => ExitCode === SIGNAL_BASE + n)?.[0]
  const reason =
    OOMKilled === true
      ? `out of memory: the container reached its limit${memoryBytes ? ` of ${gigabytes(memoryBytes)}` : ''}`
      : error || undefined
  return { code: signal === undefined ? ExitCode : undefined, signal, reason }
}

function gigabytes(bytes: number): string {
  const gb = bytes / GIB
  return gb >= 1 ? `${Number(gb.toFixed(1))} GB` : `${Math.round(bytes / MIB)} MB`
}
