/**
 * Follows one container: output, end, stop. The end is reported once after all output, then it is removed. After an
 * engine outage it is checked again.
 */

import { constants } from 'node:os'
import type Docker from 'dockerode'
import type { Clock, Log } from '../../lib/clock.ts'
import { GIB, MIB } from '../../lib/units.ts'
import { pause } from '../../lib/wait.ts'
import type { FleetWorker, WorkerExit, WorkerOutput } from '../port.ts'
import {
  type ContainerLine,
  followContainerLogs,
  type LogFollower,
  type ReadMarks,
  readContainerLogs,
} from './container-logs.ts'
import type { ContainerEvent } from './engine.ts'
import { KILLED, NOT_FOUND, statusOf } from './engine-messages.ts'

export type ContainerWorker = ReturnType<typeof createContainerWorker>

// Limit for remaining output of an ended container, so that a hanging engine does not hide the end, ms.
const REST_OF_OUTPUT_MS = 2000
// The engine may flag an OOM kill shortly after the end, ms; source: ours.
const OOM_LATE_MS = 100
const SIGTERM = '15'

export function createContainerWorker(deps: {
  readonly clock: Clock
  readonly log: Log
  readonly container: Docker.Container
  readonly facts: FleetWorker
  readonly marks: ReadMarks
  readonly onOutput: (output: WorkerOutput) => void
  readonly onEnd: (exit: WorkerExit) => void
  readonly onLeft: () => void
}) {
  const { clock, log, container, facts, marks, onOutput, onEnd, onLeft } = deps
  const { workerId } = facts
  const removed = Promise.withResolvers<void>()
  let last = marks.get(workerId)
  let follower = follow()
  let ending = false
  let paused = false
  let hasReported = false
  // Stops by the engine or a person are not the worker's fault.
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
      ending = false
      return
    }
    cancelKill?.()
    await Promise.race([(await follower)?.ended, pause(clock, REST_OF_OUTPUT_MS)])
    ;(await follower)?.stop()
    // The stream may end before an unterminated last line.
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
    await pause(clock, OOM_LATE_MS)
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

  async function signal(name: 'SIGTERM' | 'SIGKILL'): Promise<boolean> {
    try {
      await container.kill({ signal: name })
      return true
    } catch (error) {
      if (statusOf(error) === undefined) return false
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
    onEvent: ({ action, attributes }: ContainerEvent) => {
      if (action === 'kill' && attributes.signal === SIGTERM && !hasReported) stoppedByOthers = true
      if (action === 'oom') ranOutOfMemory = true
      if (action === 'die') void end(stoppedByOthers ? 'of the engine' : 'its own')
    },
    async checkAgain(): Promise<void> {
      const state = await inspect()
      if (state === 'nobody says') return
      if (state === undefined || !state.State.Running) return end('of the engine')
      follower = follow()
      if (hasReported) await signal('SIGKILL')
    },
    async stop(graceMs: number) {
      hasReported = true
      cancelKill?.()
      if (graceMs > 0) cancelKill = clock.after(graceMs, () => void signal('SIGKILL'))
      if (graceMs > 0 && paused) await resume().catch(() => undefined)
      // Does not wait for an absent engine: the container ends later, or by the next service.
      if (await signal(graceMs > 0 ? 'SIGTERM' : 'SIGKILL')) await removed.promise
    },
    async pause() {
      paused = true
      await container.pause()
    },
    resume,
  }
}

/** It may be gone. `onRefused`: the engine is starting or stopping. */
export async function removeContainer(container: Docker.Container, onRefused: (error: unknown) => void): Promise<void> {
  await container.remove({ force: true, v: true }).catch((error) => {
    if (statusOf(error) !== NOT_FOUND) onRefused(error)
  })
}

type ContainerEnd = {
  readonly ExitCode?: number | undefined
  readonly OOMKilled?: boolean | undefined
  readonly Error?: string | undefined
}

// Shells and init report a signal as 128 plus its number.
const SIGNAL_BASE = 128

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
