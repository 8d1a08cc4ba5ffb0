import { describe, expect, it } from 'vitest'
import { type WaitingFacts, whyJobsWait } from '../../../../src-main/features/workers/rules/waiting-reason.ts'

const NOW = 100_000
const worker = (state: WaitingFacts['workers'][number]['state'], startedAt = NOW - 3000, reason?: string) => ({
  state,
  startedAt,
  reason,
})

function reasonOf(
  fields: Partial<Omit<WaitingFacts, 'config'>> = {},
  config: Partial<WaitingFacts['config']> = {},
): ReturnType<typeof whyJobsWait> {
  return whyJobsWait({
    config: { workersMin: 0, workersMax: 3, scaler: { type: 'QUEUE_DELAY', value: 4 }, ...config },
    paused: false,
    queue: { normal: 12, lowPriority: 0 },
    workers: [],
    now: NOW,
    ...fields,
  })
}

const why = (...facts: Parameters<typeof reasonOf>) => reasonOf(...facts)?.text

const onlyLow = { normal: 0, lowPriority: 2 }
const crashLoop = {
  backOffUntil: NOW + 7001,
  reason: 'worker failed 3 times within 20 s: KeyError: 1',
  count: 3,
  since: NOW - 20_000,
  lastAt: NOW - 1000,
  lastWords: 'KeyError: 1',
  needsChange: true,
}
const noCapacityReason = '32 of 32 worker processes are in use by `a` (20), `b` (12)'
const busy = [worker('running'), worker('running'), worker('running')]

describe('why jobs wait', () => {
  it('says that requests wait for a specific worker only if all of them do', () => {
    const specific = 'Each request asks for a specific worker, which is not ready or at capacity.'
    expect(why({ queue: { normal: 2, lowPriority: 0, forOneWorker: 2 }, workers: busy })).toBe(specific)
    expect(why({ queue: { normal: 3, lowPriority: 0, forOneWorker: 2 }, workers: busy })).toBe(
      'All 3 workers are busy.',
    )
    expect(why({ queue: { normal: 2, lowPriority: 0, forOneWorker: 2 }, paused: true })).toMatch(/is paused/)
  })

  it('gives no reason if nothing waits', () => {
    expect(why({ queue: { normal: 0, lowPriority: 0 }, paused: true, crashLoop })).toBeUndefined()
  })

  it.each<[string, string, Parameters<typeof why>]>([
    [
      'held by a fault switch',
      'Fault injection (delayMs) on this endpoint delays each job by 2 s.',
      [{ workers: [worker('idle')] }, { faults: { delayMs: 2000 } }],
    ],
    [
      'paused',
      'The endpoint is paused. Resume it to continue.',
      [{ paused: true, crashLoop, workers: busy }, { workersMax: 0 }],
    ],
    ['maximum 0', 'The endpoint has a maximum of 0 workers. Raise it to continue.', [{ crashLoop }, { workersMax: 0 }]],
    [
      'a worker of the public SDK that serves itself, by its command',
      'No job is taken: the worker runs its own test server and never asks for jobs: remove --rp_serve_api.',
      [{ workers: [worker('initializing')] }, { command: 'python a.py --rp_serve_api --rp_api_port 9000' }],
    ],
    [
      'a worker of the public SDK that runs a test and ends, by its image',
      'No job is taken: the worker runs one test input, ends and never asks for jobs: remove --test_input.',
      [{ crashLoop }, { container: { args: ['python', 'a.py', '--test_input={"input":{}}'] } }],
    ],
    [
      'a worker of the public SDK that serves itself, by its environment',
      'No job is taken: the worker runs its own test server and never asks for jobs: remove RUNPOD_REALTIME_PORT from its environment.',
      [{}, { env: { RUNPOD_REALTIME_PORT: '8000' } }],
    ],
    [
      'a flag that the worker takes otherwise, as it asks for jobs',
      'A worker is free but has not asked for a job yet.',
      [{ workers: [worker('idle')] }, { command: 'python a.py --test_input x' }],
    ],
    [
      'crash loop',
      'No worker runs: worker failed 3 times within 20 s: KeyError: 1; next try in 8 s.',
      [{ crashLoop, noCapacityReason }],
    ],
    [
      'next try of a crash loop',
      'A worker is starting, for 3 s. Before: worker failed 3 times within 20 s: KeyError: 1.',
      [{ crashLoop: { ...crashLoop, backOffUntil: NOW }, workers: [worker('initializing')] }],
    ],
    ['no capacity', `No capacity for a worker: ${noCapacityReason}.`, [{ noCapacityReason }]],
    [
      'no capacity, in a sentence',
      'No capacity for a worker: boxa: closed by remote host.',
      [{ noCapacityReason: 'boxa: closed by remote host.' }],
    ],
    ['starting', 'A worker is starting, for 3 s.', [{ workers: [worker('initializing')] }]],
    ['just started', 'A worker is starting, for 0.2 s.', [{ workers: [worker('initializing', NOW - 200)] }]],
    [
      'several start',
      '2 workers are starting, the first for 9 s.',
      [{ workers: [worker('initializing'), worker('initializing', NOW - 9000), worker('stopping')], noCapacityReason }],
    ],
    [
      'only ill workers',
      'No worker is healthy: 1 worker unhealthy (no GPU).',
      [{ workers: [worker('unhealthy', 0, 'no GPU')] }],
    ],
    ['about to start', 'A worker is about to start.', [{ workers: [worker('stopping')] }]],
    ['all busy', 'All 3 workers are busy.', [{ workers: busy }]],
    ['one worker', 'The only worker is busy.', [{ workers: [worker('running')] }, { workersMax: 1 }]],
    ['busy and one ill', 'All 3 workers are busy. 1 worker unhealthy.', [{ workers: [...busy, worker('unhealthy')] }]],
    [
      'busy and no place',
      `The only worker is busy. No capacity for another: ${noCapacityReason}.`,
      [{ workers: [worker('running')], noCapacityReason }],
    ],
    [
      'busy and the others crash',
      `The only worker is busy. Another cannot start: ${crashLoop.reason}.`,
      [{ workers: [worker('running')], crashLoop }],
    ],
    [
      'busy and one comes',
      'A worker is starting, for 3 s.',
      [{ workers: [worker('running'), worker('initializing')] }],
    ],
    ['scaler waits', 'Another worker starts when a job has waited 4 s.', [{ workers: [worker('running')] }]],
    [
      'scaler by count',
      'Another worker starts when there are more than 4 jobs per worker.',
      [{ workers: [worker('running')] }, { scaler: { type: 'REQUEST_COUNT', value: 4 } }],
    ],
    [
      'scaler without delay',
      'Another worker is about to start.',
      [{ workers: [worker('running')] }, { scaler: { type: 'QUEUE_DELAY', value: 0 } }],
    ],
    [
      'free worker',
      'A worker is free but has not asked for a job yet.',
      [{ workers: [worker('idle'), worker('running')] }],
    ],
    ['low priority', 'Low priority: waits for a worker that was started for other jobs.', [{ queue: onlyLow }]],
    [
      'low priority next to work',
      'Low priority: waits for a worker that was started for other jobs.',
      [{ queue: onlyLow, workers: [worker('running')] }],
    ],
    ['low priority, all busy', 'All 3 workers are busy.', [{ queue: onlyLow, workers: busy }]],
    [
      'low priority, old crashes',
      'Low priority: waits for a worker that was started for other jobs.',
      [{ queue: onlyLow, crashLoop }],
    ],
    [
      'a low priority job behind normal ones',
      'Low priority: waits for a worker that was started for other jobs.',
      [{ workers: [worker('running')], job: { lowPriority: true } }],
    ],
    [
      'low priority, the minimum crashes',
      'No worker runs: worker failed 3 times within 20 s: KeyError: 1; next try in 8 s.',
      [{ queue: onlyLow, crashLoop }, { workersMin: 1 }],
    ],
  ])('%s: "%s"', (_name, sentence, [fields, config]) => {
    expect(why(fields, config)).toBe(sentence)
  })
})

describe('a reason that cannot get better by waiting', () => {
  const first = { ...crashLoop, needsChange: false }
  it.each<[string, boolean, Parameters<typeof reasonOf>]>([
    ['paused', true, [{ paused: true }]],
    ['no worker allowed', true, [{}, { workersMax: 0 }]],
    ['crashes that repeat', true, [{ crashLoop }]],
    ['crashes that may be an accident', false, [{ crashLoop: first }]],
    ['a crash since the wait began', true, [{ crashLoop, waitingSince: NOW - 1001 }]],
    ['crashes before the wait began, which may have been mended', false, [{ crashLoop, waitingSince: NOW - 1000 }]],
    ['the next try', false, [{ crashLoop, workers: [worker('initializing')] }]],
    ['crashes next to a worker that works', false, [{ crashLoop, workers: [worker('running')] }]],
    ['no such card', true, [{ noCapacityReason: 'there is no NVIDIA GPU', neverCapacity: true }]],
    ['all places taken', false, [{ noCapacityReason, neverCapacity: false }]],
    ['a start', false, [{ workers: [worker('initializing')] }]],
    ['busy workers', false, [{ workers: busy }]],
    ['low priority', false, [{ queue: onlyLow }]],
  ])('%s: %s', (_name, needsChange, [fields, config]) => {
    expect(reasonOf(fields, config)?.needsChange).toBe(needsChange)
  })
})
