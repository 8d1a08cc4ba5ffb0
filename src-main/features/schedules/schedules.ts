/**
 * Schedules. One loop sleeps until the next due time, but briefly, as clocks change and laptops sleep. Each time queues
 * one job, with the time as idempotency key; missed times are reported.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { APP_SCHEDULE, type ScheduleCreate, type ScheduleRun, type ScheduleView } from '../../contract/schedules.ts'
import type { Log } from '../../lib/clock.ts'
import { present } from '../../lib/json/plain.ts'
import { SECOND_MS } from '../../lib/units.ts'
import type { Endpoint, Job, Schedule, ScheduledRequest } from '../../storage/storage.ts'
import { kindOf, type SubmitDeps } from '../endpoints/kinds/endpoint-kinds.ts'
import { listJobsById } from '../jobs/list-jobs.ts'
import { dueTimes, nextTime, timesAfter, timingProblem } from './rules.ts'

export type NewSchedule = Omit<ScheduleCreate, 'request'> & { readonly request: ScheduledRequest }

export type Schedules = ReturnType<typeof createSchedules>

// Longest sleep, ms; source: ours, bounds the delay after a clock change.
const LOOK_MS = 10 * SECOND_MS
const LATE = 'the service did not run at its time'
const OF_APP = 'this schedule is declared in the code of an app. Pause it, or remove @schedule from the code and deploy'

export function createSchedules(deps: SubmitDeps & { readonly log: Log }) {
  const { storage, clock, newId, log } = deps
  const { schedules } = storage
  let cancel = () => {}
  let looking: Promise<void> = Promise.resolve()
  let following: Promise<void> = Promise.resolve()
  let state: 'new' | 'running' | 'stopped' = 'new'

  function planLook(): void {
    cancel()
    const nextAt = schedules.nextAt()
    if (state !== 'running' || nextAt === undefined) return
    cancel = clock.after(Math.min(LOOK_MS, Math.max(0, nextAt - clock.now())), () => {
      looking = look()
        .catch((error) => log.error('schedules not looked through', { error }))
        .finally(planLook)
    })
  }

  async function look(): Promise<void> {
    for (const schedule of schedules.due(clock.now())) {
      if (state === 'stopped') return
      await runDue(schedule).catch((error) => log.error('schedule not run', { scheduleId: schedule.id, error }))
    }
  }

  async function runDue(schedule: Schedule): Promise<void> {
    const { id, nextAt: dueAt } = schedule
    if (dueAt === undefined) return
    const now = clock.now()
    const found = dueTimes(timingOf(schedule), {
      ...{ dueAt, now },
      ...{ graceMs: limit('scheduleGraceMs'), most: limit('scheduleTimesCounted') },
    })
    // A killed service may have queued the first one already.
    const before = storage.jobs.findByIdempotencyKey(schedule.endpointId, keyOf(schedule, dueAt))
    const runs = before === undefined ? runsOf(found, await queue(schedule, found.runs, now)) : [ran(dueAt, before.id)]
    await storage.write(() => {
      if (!schedules.moveOn({ id, from: dueAt, nextAt: found.next })) return
      for (const run of runs) schedules.addRun(id, run)
    })
    for (const { outcome, count, reason } of runs)
      if (outcome !== 'queued') log.warn('schedule without a job', { scheduleId: id, outcome, count, reason })
  }

  async function queue(schedule: Schedule, time: number | undefined, now: number): Promise<ScheduleRun | undefined> {
    if (time === undefined) return undefined
    const late = now - time > limit('scheduleGraceMs') ? { reason: LATE } : {}
    try {
      const job = await submit(schedule, keyOf(schedule, time))
      return { ...ran(time, job.id), ...late }
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'STORAGE_FAILED') throw error
      return { dueAt: time, outcome: 'refused', count: 1, reason: error.message }
    }
  }

  // The endpoint's settings hold the schedule that its app declares. A pause survives releases.
  async function followApp(endpointId: string): Promise<void> {
    const cron = storage.endpoints.get(endpointId)?.config.app?.schedule
    const before = schedules.list(endpointId).find(isOfApp)
    if (state === 'stopped' || before?.cron === cron) return
    await storage.write(() => {
      if (before !== undefined) schedules.remove(before.id)
      if (cron === undefined || storage.endpoints.read(endpointId) === undefined) return
      const createdAt = clock.now()
      const paused = before?.paused ?? false
      const timing = { ...{ cron, createdAt }, timeZone: APP_SCHEDULE.timeZone }
      const nextAt = paused ? undefined : nextTime(timing, createdAt)
      const made = { name: APP_SCHEDULE.name, missed: 'skip', request: { input: '{}' }, everyMs: undefined } as const
      schedules.insert({ ...timing, ...made, id: newId.uuid(), endpointId, paused, nextAt })
    })
    planLook()
  }

  function follow(endpointId: string): void {
    following = following
      .then(() => followApp(endpointId))
      .catch((error) => log.error('the schedule of an app was not stored', { endpointId, error }))
  }

  async function submit({ endpointId, request }: Schedule, idempotencyKey: string | undefined): Promise<Job> {
    const endpoint = storage.endpoints.get(endpointId)
    if (endpoint === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId })
    const { input, webhook, policy } = request
    return kindOf(endpoint).submit(deps, endpoint, {
      kind: 'run',
      request: { webhook, policy, idempotencyKey },
      input,
      s3Config: undefined,
      waitMs: undefined,
    })
  }

  function find(endpointId: string, id: string): Schedule {
    const found = schedules.get(endpointId, id)
    if (found === undefined) throw notFound(endpointId, id)
    return found
  }

  function view(schedule: Schedule): ScheduleView {
    const { request, nextAt, cron, everyMs, timeZone, ...rest } = schedule
    const runs = schedules.runs(schedule.id, limit('scheduleRunsKept'))
    const { requests } = listJobsById(
      deps,
      runs.flatMap(({ jobId }) => jobId ?? []),
    )
    const jobs = new Map(requests.map((job) => [job.id, job]))
    const more = nextAt === undefined ? [] : timesAfter(timingOf(schedule), nextAt, limit('scheduleTimesShown') - 1)
    return {
      ...rest,
      ...present({ cron, everyMs, timeZone, nextAt }),
      request: requestText(request),
      upcoming: nextAt === undefined ? [] : [nextAt, ...more],
      runs: runs.map((run) => {
        const job = run.jobId === undefined ? undefined : jobs.get(run.jobId)
        return job === undefined ? run : { ...run, job }
      }),
    }
  }

  return {
    list: (endpointId: string | undefined): readonly ScheduleView[] => schedules.list(endpointId).map(view),
    read: (endpointId: string, id: string): ScheduleView => view(find(endpointId, id)),
    async add({ id: endpointId }: Endpoint, { missed = 'skip', ...given }: NewSchedule): Promise<ScheduleView> {
      const createdAt = clock.now()
      const problem = timingProblem(given, createdAt)
      if (problem !== undefined) throw new AppError('BAD_FIELD', problem)
      const nextAt = nextTime({ ...given, createdAt }, createdAt)
      const schedule = { ...given, id: newId.uuid(), endpointId, missed, paused: false, createdAt, nextAt }
      await storage.write(() => {
        if (storage.endpoints.get(endpointId) === undefined) throw new AppError('ENDPOINT_NOT_FOUND', { endpointId })
        if (schedules.list(endpointId).length >= limit('schedules'))
          throw new AppError('TOO_MANY_SCHEDULES', { endpointId, limit: limit('schedules') })
        if (!schedules.insert(schedule)) throw new AppError('SCHEDULE_EXISTS', { endpointId, schedule: given.name })
      })
      planLook()
      return view(schedule)
    },
    async setPaused(endpointId: string, id: string, paused: boolean): Promise<ScheduleView> {
      const schedule = find(endpointId, id)
      if (schedule.paused === paused) return view(schedule)
      const nextAt = paused ? undefined : nextTime(timingOf(schedule), clock.now())
      const isThere = await storage.write(() => schedules.setPaused(id, paused, nextAt))
      if (!isThere) throw notFound(endpointId, id)
      planLook()
      return view({ ...schedule, paused, nextAt })
    },
    runNow: async (endpointId: string, id: string): Promise<Job> => submit(find(endpointId, id), undefined),
    async remove(endpointId: string, id: string) {
      if (isOfApp(find(endpointId, id))) throw new AppError('NOT_DONE', { why: OF_APP })
      await storage.write(() => schedules.remove(id))
    },
    start() {
      if (state !== 'new') return
      state = 'running'
      storage.onCommit((changes) => {
        for (const { type, endpointId } of changes) if (type === 'endpoint') follow(endpointId)
      })
      for (const { id } of storage.endpoints.all()) follow(id)
      planLook()
    },
    async stop() {
      state = 'stopped'
      cancel()
      await Promise.all([looking, following])
    },
  }
}

const isOfApp = ({ name }: Schedule) => name === APP_SCHEDULE.name

const timingOf = ({ cron, everyMs, timeZone, createdAt, missed }: Schedule) => ({
  ...{ cron, everyMs, timeZone, createdAt, missed },
})
const keyOf = ({ id }: Schedule, time: number) => `schedule/${id}/${time}`
const ran = (dueAt: number, jobId: string): ScheduleRun => ({ dueAt, outcome: 'queued', count: 1, jobId })

function runsOf({ missed }: ReturnType<typeof dueTimes>, last: ScheduleRun | undefined): readonly ScheduleRun[] {
  const before: readonly ScheduleRun[] =
    missed === undefined ? [] : [{ dueAt: missed.first, outcome: 'missed', count: missed.count, reason: LATE }]
  return last === undefined ? before : [...before, last]
}

function requestText({ input, ...fields }: ScheduledRequest): string {
  const others = JSON.stringify(fields).slice(1, -1)
  return `{"input":${input}${others === '' ? '' : `,${others}`}}`
}

const notFound = (endpointId: string, id: string) =>
  new AppError('SCHEDULE_NOT_FOUND', { endpointId, schedule: id.slice(0, 100) })
