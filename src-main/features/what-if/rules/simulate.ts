/**
 * Simulates with the real scaling, worker table, dispatch order and crash rules, without load-balanced requests, manual
 * moves and freezing, which changes no decision.
 */
import { limit } from '../../../contract/limits.ts'
import { assertNever } from '../../../lib/assert-never.ts'
import { evaluateCrashLoop, type WorkerExit } from '../../workers/rules/crash-loop.ts'
import { bestFirst, mostPerTake, moveOfLostJob } from '../../workers/rules/dispatch.ts'
import { isUsedUp, settingsWithFaults } from '../../workers/rules/faults.ts'
import { keepPausedMs } from '../../workers/rules/freeze-idle.ts'
import { decideScaling, nextDecisionAt } from '../../workers/rules/scaling.ts'
import type { ScalingFacts } from '../../workers/rules/scaling-facts.ts'
import {
  nextStatus,
  recordsOf,
  takesJobs,
  WORKER_TRANSITIONS,
  type WorkerEvent,
} from '../../workers/rules/transitions.ts'
import { createEventQueue, createLine, createSteps } from './event-queue.ts'
import {
  type Course,
  chanceOf,
  draw,
  type Running,
  type Scenario,
  type SimulatedJob,
  toScalingWorker,
  type Waiting,
  type Worker,
} from './scenario.ts'

type Parked = { readonly workerId: string; readonly worker: Worker; readonly max: number }

type Event =
  | { readonly type: 'arrive' }
  | { readonly type: 'decide'; readonly token: number }
  | { readonly type: 'dispatch' }
  | { readonly type: 'ready' | 'ask' | 'ended'; readonly worker: Worker }
  | { readonly type: 'done' | 'lost'; readonly worker: Worker; readonly running: Running }

const MAX_EXITS = 200

export function simulate(scenario: Scenario): Course {
  const { jobs, world, random, spanMs } = scenario
  const config = settingsWithFaults(scenario.config)
  const { faults, redispatches, executionTimeoutMs } = config
  const keepMs = keepPausedMs(config)
  const killShare = chanceOf(faults?.killPercent, faults?.outOfMemoryPercent)
  const slots = faults?.throttle === true ? 0 : world.slots
  const lastAt = jobs.at(-1)?.at ?? 0
  const givenUpAt = lastAt + limit('ttlDefaultMs')

  const events = createEventQueue<Event>()
  const workers = new Map<string, Worker>()
  const parked = new Map<string, Parked>()
  const queues = { normal: createLine<Waiting>(), low: createLine<Waiting>() }
  const exits: WorkerExit[] = []
  const waits = new Float64Array(jobs.length)
  const steps = createSteps(spanMs)
  const totals = { served: 0, expired: 0, abandoned: 0, coldStarts: 0, coldJobs: 0, workerMs: 0, alwaysOnMs: 0 }
  let hasCrashed = false
  let inProgress = 0
  let now = 0
  let arrived = 0
  let started = 0
  let lastDecisionAt: number | undefined
  let decision: { readonly at: number; readonly token: number } | undefined
  let tokens = 0
  let countedAt = 0
  let unpaused = 0

  function count(change: -1 | 0 | 1): void {
    totals.workerMs += unpaused * (now - countedAt)
    totals.alwaysOnMs += Math.min(unpaused, config.workersMin) * (now - countedAt)
    countedAt = now
    unpaused += change
  }

  function move(worker: Worker, event: WorkerEvent): boolean {
    const next = nextStatus(worker, event)
    if (next === undefined) return false
    const before = worker.phase
    Object.assign(worker, next, recordsOf(event, {}, now))
    if (before !== 'paused' && worker.phase === 'paused') count(-1)
    if (before === 'paused' && worker.phase !== 'paused' && worker.phase !== 'ended') count(1)
    return true
  }

  function decideAt(at: number): void {
    if (decision !== undefined && decision.at <= at) return
    decision = { at, token: ++tokens }
    events.add(at, { type: 'decide', token: tokens })
  }

  const decideSoon = () => decideAt(nextDecisionAt(now, lastDecisionAt))

  function startWorker(isWarm: boolean): void {
    const { to: phase } = WORKER_TRANSITIONS.start
    const worker: Worker = {
      ...{ id: `w${started++}`, startedAt: now, isWarm, running: new Set(), jobsDone: 0, taken: 0, asks: false },
      ...{ phase, duty: WORKER_TRANSITIONS.serve.to, becameReady: false },
    }
    workers.set(worker.id, worker)
    count(1)
    if (isWarm) {
      move(worker, 'ready')
      ask(worker)
    } else events.add(now + draw(world.coldStartMs, random), { type: 'ready', worker })
  }

  function becomeReady(worker: Worker): void {
    if (!workers.has(worker.id) || !move(worker, 'ready')) return
    totals.coldStarts += 1
    decideSoon()
    ask(worker)
  }

  function exit(worker: Worker, ordered: boolean): void {
    if (!workers.delete(worker.id)) return
    if (worker.phase !== 'paused') count(-1)
    move(worker, 'exit')
    parked.delete(worker.id)
    const becameReady = worker.becameReady === true
    const livedMs = now - worker.startedAt
    exits.push({ at: now, livedMs, becameReady, jobsDone: worker.jobsDone, ordered, reason: 'lost' })
    if (exits.length > MAX_EXITS) exits.shift()
    hasCrashed ||= !ordered
    for (const running of worker.running) {
      inProgress -= 1
      if (moveOfLostJob(running.job.retries, redispatches) === 'rescue') {
        running.job.retries += 1
        running.job.queuedAt = now
        lineOf(running.job).giveBack(running.job)
      } else totals.abandoned += 1
    }
    worker.running.clear()
    lastDecisionAt = undefined
    decideSoon()
    dispatch()
  }

  function beginStop(worker: Worker): void {
    if (move(worker, 'stop')) events.add(now + draw(world.stopMs, random), { type: 'ended', worker })
  }

  function endIfDone(worker: Worker): void {
    if (worker.phase === 'draining' && worker.running.size === 0) beginStop(worker)
  }

  function leave(worker: Worker): void {
    move(worker, 'drain')
    endIfDone(worker)
  }

  const lineOf = ({ lowPriority }: SimulatedJob) => (lowPriority === true ? queues.low : queues.normal)
  const waitingJobs = () => queues.normal.size() + queues.low.size()
  const isSpent = (worker: Worker) =>
    isUsedUp(faults, { jobsDone: worker.jobsDone, jobSpans: worker.taken === 0 ? [] : [worker.taken], adopted: false })

  function ask(worker: Worker): void {
    worker.asks = true
    const max = config.concurrency - worker.running.size
    parked.set(worker.id, { workerId: worker.id, worker, max })
    dispatch()
  }

  function askLater(worker: Worker): void {
    if (worker.asks || worker.running.size >= config.concurrency) return
    worker.asks = true
    events.add(now + world.turnaroundMs, { type: 'ask', worker })
  }

  function takeNext(): Waiting | undefined {
    const line = queues.normal.size() > 0 ? queues.normal : queues.low
    const first = line.first()
    if (first === undefined) return undefined
    const heldUntil = first.queuedAt + (faults?.delayMs ?? 0)
    if (heldUntil > now) {
      events.add(heldUntil, { type: 'dispatch' })
      return undefined
    }
    line.take()
    if (now - first.at <= limit('ttlDefaultMs')) return first
    totals.expired += 1
    return takeNext()
  }

  function dispatch(): void {
    if (waitingJobs() === 0 || parked.size === 0) return
    for (const entry of [...bestFirst(parked.values(), (id) => workers.get(id)?.running.size ?? 0)]) {
      if (waitingJobs() === 0) return
      const { worker } = entry
      if (!takesJobs(worker) || isSpent(worker)) continue
      const most = mostPerTake(entry.max, faults)
      let got = 0
      for (; got < most; got++) {
        const job = takeNext()
        if (job === undefined) break
        run(worker, job)
      }
      if (got === 0) return
      parked.delete(worker.id)
      worker.asks = false
      askLater(worker)
    }
  }

  function run(worker: Worker, job: Waiting): void {
    move(worker, 'takeJob')
    worker.taken += 1
    inProgress += 1
    const running = { job, claimedAt: now }
    worker.running.add(running)
    const lostAfterMs = job.lostAfterMs?.[job.retries] ?? (random() < killShare ? 0 : undefined)
    if (lostAfterMs !== undefined) events.add(now + lostAfterMs, { type: 'lost', worker, running })
    else {
      const factor = world.slowdown[Math.min(worker.running.size, world.slowdown.length) - 1] ?? 1
      events.add(now + Math.min(job.executionMs * factor, executionTimeoutMs), { type: 'done', worker, running })
    }
    decideSoon()
  }

  function done(worker: Worker, running: Running): void {
    if (!worker.running.delete(running)) return
    inProgress -= 1
    worker.jobsDone += 1
    waits[totals.served] = running.claimedAt - running.job.queuedAt
    totals.served += 1
    if (!worker.isWarm && worker.startedAt >= running.job.queuedAt) totals.coldJobs += 1
    if (worker.running.size === 0) move(worker, 'becomeIdle')
    askLater(worker)
    decideSoon()
  }

  function facts(): ScalingFacts {
    const normal = queues.normal.size()
    return {
      config,
      keepPausedMs: keepMs,
      paused: false,
      stopping: false,
      queue: {
        normal,
        lowPriority: queues.low.size(),
        inProgress,
        oldestNormalWaitMs: normal === 0 ? 0 : now - (queues.normal.oldest()?.queuedAt ?? now),
      },
      workers: [...workers.values()].map(toScalingWorker),
      freeSlots: slots - workers.size,
      backOffUntil: hasCrashed ? evaluateCrashLoop(exits, now)?.backOffUntil : undefined,
      now,
    }
  }

  function decide(): void {
    lastDecisionAt = now
    if (faults?.coldStart === true)
      for (const worker of workers.values())
        if (takesJobs(worker) && isSpent(worker) && worker.running.size === 0) leave(worker)
    const { stop, pause = [], resume = [], start, nextCheckAt } = decideScaling(facts())
    for (const { workerId, force } of stop) {
      const worker = workers.get(workerId)
      if (worker === undefined) continue
      if (force === true) exit(worker, false)
      else leave(worker)
    }
    for (const worker of workers.values()) endIfDone(worker)
    for (const id of pause) {
      const worker = workers.get(id)
      if (worker?.running.size === 0) move(worker, 'pause')
    }
    for (const id of resume) {
      const worker = workers.get(id)
      if (worker === undefined || !move(worker, 'resume')) continue
      decideSoon()
      dispatch()
    }
    for (let n = 0; n < start; n++) startWorker(false)
    if (nextCheckAt !== undefined) decideAt(nextDecisionAt(nextCheckAt, now))
  }

  function arrive(): void {
    const job = jobs[arrived]
    if (job === undefined) return
    lineOf(job).add({ ...job, place: arrived, queuedAt: now, retries: 0 })
    arrived += 1
    const next = jobs[arrived]
    if (next !== undefined) events.add(next.at, { type: 'arrive' })
    decideSoon()
    dispatch()
  }

  function happen(event: Event): void {
    switch (event.type) {
      case 'arrive':
        arrive()
        break
      case 'decide':
        if (event.token !== decision?.token) break
        decision = undefined
        decide()
        break
      case 'dispatch':
        dispatch()
        break
      case 'ready':
        becomeReady(event.worker)
        break
      case 'ask':
        event.worker.asks = false
        if (workers.has(event.worker.id)) ask(event.worker)
        break
      case 'ended':
        exit(event.worker, true)
        break
      case 'lost':
        if (event.worker.running.has(event.running)) exit(event.worker, false)
        break
      case 'done':
        done(event.worker, event.running)
        break
      default:
        assertNever(event)
    }
  }

  for (let n = 0; n < Math.min(config.workersMin, slots); n++) startWorker(true)
  const first = jobs[0]
  if (first !== undefined) events.add(first.at, { type: 'arrive' })
  for (let next = events.next(); next !== undefined && next.at <= givenUpAt; next = events.next()) {
    now = next.at
    happen(next.event)
    steps.note(now, waitingJobs(), workers.size)
  }
  now = Math.max(now, spanMs)
  count(0)
  const { served, expired: _expired, ...rest } = totals
  return {
    waits: waits.slice(0, served),
    unserved: jobs.length - served - rest.abandoned,
    ...rest,
    steps: steps.read(),
  }
}
