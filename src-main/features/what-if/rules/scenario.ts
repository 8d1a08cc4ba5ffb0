import type { EndpointConfig } from '../../../contract/endpoint.ts'
import type { ScalingWorker } from '../../workers/rules/scaling-facts.ts'
import { shownState, type WorkerRecords, type WorkerStatus } from '../../workers/rules/transitions.ts'
import type { Random } from './load-patterns.ts'

export type SimulatedJob = {
  readonly at: number
  readonly executionMs: number
  readonly lowPriority?: boolean
  readonly priority?: number
  readonly lostAfterMs?: readonly number[]
}

export type World = {
  readonly coldStartMs: readonly number[]
  /** From the requested stop until the process is gone. */
  readonly stopMs: readonly number[]
  /** From a job's end until its worker asks for the next one. */
  readonly turnaroundMs: number
  readonly slowdown: readonly number[]
  readonly slots: number
}

export type Scenario = {
  readonly config: EndpointConfig
  readonly jobs: readonly SimulatedJob[]
  readonly world: World
  readonly spanMs: number
  readonly random: Random
}

/** Spans in ms. */
export type Course = {
  readonly waits: Float64Array
  readonly unserved: number
  readonly abandoned: number
  readonly coldStarts: number
  /** Jobs taken by workers started after their arrival. */
  readonly coldJobs: number
  readonly workerMs: number
  readonly alwaysOnMs: number
  /** Maximum of waiting jobs and workers in each part, for a chart. */
  readonly steps: { readonly stepMs: number; readonly waiting: readonly number[]; readonly workers: readonly number[] }
}

export type Worker = WorkerStatus &
  Partial<WorkerRecords> & {
    readonly id: string
    readonly startedAt: number
    readonly isWarm: boolean
    readonly running: Set<Running>
    jobsDone: number
    taken: number
    asks: boolean
  }

export type Running = { readonly job: Waiting; readonly claimedAt: number }
export type Waiting = SimulatedJob & { readonly place: number; queuedAt: number; retries: number }
export function toScalingWorker(worker: Worker): ScalingWorker {
  return {
    id: worker.id,
    state: shownState(worker.phase),
    startedAt: worker.startedAt,
    progressAt: worker.progressAt,
    neededLast: worker.idleSince,
    pausedSince: worker.pausedSince,
    resumedAt: worker.resumedAt,
    jobs: worker.running.size,
    outdated: false,
  }
}

export const draw = (spans: readonly number[], random: Random) => spans[Math.floor(random() * spans.length)] ?? 0

export const chanceOf = (...percents: readonly (number | undefined)[]) =>
  1 - percents.reduce<number>((missed, percent = 0) => missed * (1 - percent / 100), 1)
