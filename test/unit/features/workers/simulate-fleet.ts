import type { WorkerState } from '../../../../src-main/contract/endpoint.ts'
import { evaluateCrashLoop, type WorkerExit } from '../../../../src-main/features/workers/rules/crash-loop.ts'
import { decideScaling } from '../../../../src-main/features/workers/rules/scaling.ts'
import type { ScalingFacts } from '../../../../src-main/features/workers/rules/scaling-facts.ts'
import { WORKER_TRANSITIONS, type WorkerEvent } from '../../../../src-main/features/workers/rules/transitions.ts'
import { nextWorkerState } from './scaling-support.ts'

/** A job of the simulation. */
export type SimulatedJob = { readonly arrivesAt: number; readonly runsMs: number; readonly lowPriority?: boolean }

/** Times are ms from the start of the simulation. */
export type Scenario = {
  readonly config: ScalingFacts['config']
  readonly jobs: readonly SimulatedJob[]
  readonly coldStartMs: number
  /** Workers end by themselves this long after their start, before they are ready. */
  readonly crashAfterMs?: number
  readonly places?: number
  readonly untilMs: number
}

/** The fleet after each change, and totals. */
export type Course = {
  readonly sizes: readonly { readonly at: number; readonly live: number }[]
  readonly starts: readonly number[]
  readonly decisions: number
  readonly done: number
  readonly lowDone: number
  readonly finishedAt: number
}

type Worker = {
  id: string
  state: WorkerState
  startedAt: number
  neededLast: number
  jobs: { endsAt: number; lowPriority: boolean }[]
}

/**
 * Runs the decisions against simple workers in fake time. It jumps from event to event and asks for a decision only
 * when the facts changed or `nextCheckAt` came: a scaler that needed to be polled would hang here.
 */
export function simulate({ config, jobs, coldStartMs, crashAfterMs, places = 1000, untilMs }: Scenario): Course {
  const arrivals = jobs.toSorted((a, b) => a.arrivesAt - b.arrivesAt)
  const waiting: SimulatedJob[] = []
  const exits: WorkerExit[] = []
  const sizes: { at: number; live: number }[] = []
  const starts: number[] = []
  let fleet: Worker[] = []
  let totals = { decisions: 0, done: 0, lowDone: 0, finishedAt: 0 }
  let nextCheckAt: number | undefined
  let now = 0

  const move = (worker: Worker, event: WorkerEvent) => {
    const state = nextWorkerState(worker.state, event)
    if (state === undefined) throw new Error(`${event} of a worker that is ${worker.state}`)
    worker.state = state
  }
  const leave = (worker: Worker, ordered: boolean) => {
    move(worker, 'exit')
    exits.push({
      at: now,
      livedMs: now - worker.startedAt,
      becameReady: crashAfterMs === undefined,
      jobsDone: 0,
      ordered,
      reason: 'KeyError: 1',
    })
    fleet = fleet.filter((other) => other !== worker)
  }
  const readyAt = (worker: Worker) => worker.startedAt + (crashAfterMs ?? coldStartMs)

  const workersGoOn = () => {
    for (const worker of [...fleet]) {
      if (worker.state === 'initializing' && readyAt(worker) <= now) {
        if (crashAfterMs !== undefined) {
          leave(worker, false)
          continue
        }
        move(worker, 'ready')
        worker.neededLast = now
      }
      const ended = worker.jobs.filter(({ endsAt }) => endsAt <= now)
      if (ended.length === 0) continue
      totals = {
        ...totals,
        done: totals.done + ended.length,
        lowDone: totals.lowDone + ended.filter((job) => job.lowPriority).length,
        finishedAt: now,
      }
      worker.jobs = worker.jobs.filter(({ endsAt }) => endsAt > now)
      if (worker.jobs.length > 0) continue
      if (worker.state === 'stopping') leave(worker, true)
      else {
        move(worker, 'becomeIdle')
        worker.neededLast = now
      }
    }
  }
  const dispatch = () => {
    for (const worker of fleet) {
      while (
        (worker.state === 'idle' || worker.state === 'running') &&
        worker.jobs.length < config.concurrency &&
        waiting.length > 0
      ) {
        const normal = waiting.findIndex((job) => job.lowPriority !== true)
        const [job] = waiting.splice(Math.max(0, normal), 1)
        if (job === undefined) break
        worker.jobs.push({ endsAt: now + job.runsMs, lowPriority: job.lowPriority === true })
        move(worker, 'takeJob')
      }
    }
  }
  const carryOut = (): boolean => {
    const normal = waiting.filter((job) => job.lowPriority !== true)
    const decision = decideScaling({
      config,
      paused: false,
      stopping: false,
      queue: {
        normal: normal.length,
        lowPriority: waiting.length - normal.length,
        inProgress: fleet.reduce((sum, worker) => sum + worker.jobs.length, 0),
        oldestNormalWaitMs: now - (normal[0]?.arrivesAt ?? now),
      },
      workers: fleet.map((worker) => ({ ...worker, jobs: worker.jobs.length, outdated: false })),
      freeSlots: places - fleet.length,
      backOffUntil: evaluateCrashLoop(exits, now)?.backOffUntil,
      now,
    })
    totals = { ...totals, decisions: totals.decisions + 1 }
    nextCheckAt = decision.nextCheckAt
    for (const { workerId, force } of decision.stop) {
      const worker = fleet.find(({ id }) => id === workerId)
      if (worker === undefined) throw new Error(`unknown worker ${workerId}`)
      move(worker, 'drain')
      if (force || worker.jobs.length === 0) leave(worker, true)
    }
    for (let n = 0; n < decision.start; n += 1) {
      starts.push(now)
      fleet.push({
        id: `w${starts.length}`,
        state: WORKER_TRANSITIONS.start.to,
        startedAt: now,
        neededLast: now,
        jobs: [],
      })
    }
    return decision.start + decision.stop.length > 0
  }

  while (now <= untilMs) {
    while (arrivals[0] !== undefined && arrivals[0].arrivesAt <= now) waiting.push(...arrivals.splice(0, 1))
    workersGoOn()
    dispatch()
    while (carryOut()) sizes.push({ at: now, live: fleet.filter(({ state }) => state !== 'stopping').length })
    const soonest = Math.min(
      arrivals[0]?.arrivesAt ?? Number.POSITIVE_INFINITY,
      nextCheckAt ?? Number.POSITIVE_INFINITY,
      ...fleet.flatMap((worker) => [
        ...(worker.state === 'initializing' ? [readyAt(worker)] : []),
        ...worker.jobs.map(({ endsAt }) => endsAt),
      ]),
    )
    if (soonest <= now) throw new Error(`time stands still at ${now}`)
    now = soonest
  }
  return { sizes, starts, ...totals }
}
