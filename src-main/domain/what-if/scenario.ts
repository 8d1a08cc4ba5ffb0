/** What a simulation is given, what comes of it, and its workers. */
import type { EndpointConfig } from '../../contract/endpoint.ts'
import type { ScalingWorker } from '../worker/scaling-facts.ts'
import { shownState, type WorkerRecords, type WorkerStanding } from '../worker/transitions.ts'
import type { Random } from './load-patterns.ts'

/** A job of a simulation. Times and spans in ms, from its start. */
export type SimulatedJob = {
  readonly at: number
  readonly executionMs: number
  readonly lowPriority?: boolean
  /** Higher ones are handed out first; 0 without it. */
  readonly priority?: number
  /** How long after each claim its worker was lost, for the tries that ended so. */
  readonly lostAfterMs?: readonly number[]
}

/** What the world does. Each span is drawn from those that were measured. */
export type World = {
  readonly coldStartMs: readonly number[]
  /** From the order to end until the process is gone. */
  readonly stopMs: readonly number[]
  /** From the end of a job until its worker asks for the next one. */
  readonly turnaroundMs: number
  /** How many times as long a job runs beside others: the first of one job alone, the last of that many and more. */
  readonly slowdown: readonly number[]
  /** How many workers there is room for. */
  readonly slots: number
}

/** What is simulated. */
export type Scenario = {
  readonly config: EndpointConfig
  /** In the order of their times. */
  readonly jobs: readonly SimulatedJob[]
  readonly world: World
  /** Until when at least workers that stay are counted, ms. */
  readonly spanMs: number
  readonly random: Random
}

/** What came of it. Spans in ms. */
export type Course = {
  /** How long each job waited before its last try, in no order. */
  readonly waits: Float64Array
  /** Jobs that no worker took before their time was over, or at all. */
  readonly unserved: number
  /** Jobs whose worker was lost too often. */
  readonly abandoned: number
  /** Workers that got ready after a start. */
  readonly coldStarts: number
  /** Jobs that got a worker which had started after they came. */
  readonly coldJobs: number
  readonly workerMs: number
  /** The part of it that the minimum of workers makes. */
  readonly alwaysOnMs: number
  /** Most jobs that waited and most workers in each part of the span, for a chart. */
  readonly steps: { readonly stepMs: number; readonly waiting: readonly number[]; readonly workers: readonly number[] }
}

/** A worker of a simulation. */
export type Worker = WorkerStanding &
  Partial<WorkerRecords> & {
    readonly id: string
    readonly startedAt: number
    /** It was ready when the simulation began. */
    readonly isWarm: boolean
    readonly running: Set<Running>
    jobsDone: number
    taken: number
    /** Whether its next call for a job is open or on its way. */
    asks: boolean
  }

/** A job at a worker. */
export type Running = { readonly job: Waiting; readonly claimedAt: number }
/** A job that came. */
export type Waiting = SimulatedJob & { readonly place: number; queuedAt: number; retries: number }
/** A worker as scaling sees it. */
export function toScalingWorker(worker: Worker): ScalingWorker {
  return {
    id: worker.id,
    state: shownState(worker.phase),
    startedAt: worker.startedAt,
    progressAt: worker.progressAt,
    idleSince: worker.idleSince,
    pausedSince: worker.pausedSince,
    resumedAt: worker.resumedAt,
    jobs: worker.running.size,
    outdated: false,
  }
}

/** One of the spans, by chance. */
export const draw = (spans: readonly number[], random: Random) => spans[Math.floor(random() * spans.length)] ?? 0

/** The chance that one of several shares hits. */
export const chanceOf = (...percents: readonly (number | undefined)[]) =>
  1 - percents.reduce<number>((missed, percent = 0) => missed * (1 - percent / 100), 1)
