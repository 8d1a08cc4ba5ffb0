import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Queue, QueueEvents } from 'bullmq'
import { inTurn } from '../in-turn.ts'
import { bounded, compared, type Row } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { openConnection, requestBytes } from '../support/connection.ts'
import { withFolder } from '../support/folders.ts'
import { freePort } from '../support/free-port.ts'
import { machineMs } from '../support/machine-time.ts'
import { startProgram } from '../support/programs.ts'
import { startRedis } from '../support/redis.ts'
import { createWarmEndpoint, type Service, startService } from '../support/service.ts'

const CALLS = 300
const IDLE_CALLS = 200
// Longer than anything in the service that runs because a job came: then the queue is idle.
const IDLE_MS = 40
const IDLE_P99_MS = 5
const BODY = '{"input":{"prompt":"a ship in a dry dock","steps":20}}'

/** From the call that submits a job to the first line of its handler, in another process, one job at a time. */
export function startLatency(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const service = await startService(join(folder, 'service'))
    try {
      await createWarmEndpoint(service, 'start', { output: 'start' })
      await ours(service, CALLS)
      return [...(await againstPeer(service, folder, rounds)), await whenIdle(service)]
    } finally {
      await service.stop()
    }
  })
}

async function ours(service: Service, count: number, pauseMs = 0): Promise<number[]> {
  const connection = await openConnection(service.port)
  const request = requestBytes('POST', '/v2/start/runsync', service.port, [service.auth], BODY)
  const samples: number[] = []
  for (let n = 0; n < count; n++) {
    if (pauseMs > 0) await pause(pauseMs)
    const submitted = machineMs()
    const { body } = await connection.send(request)
    samples.push((JSON.parse(body.toString()) as { output: number }).output - submitted)
  }
  connection.close()
  return samples
}

async function whenIdle(service: Service): Promise<Row> {
  const samples = await ours(service, IDLE_CALLS, IDLE_MS)
  return bounded('pick-up on an idle queue, p99', percentile(samples, 0.99), IDLE_P99_MS, 'ms')
}

async function againstPeer(service: Service, folder: string, rounds: number): Promise<readonly Row[]> {
  const port = await freePort()
  const redis = await startRedis(folder, port)
  if (redis === undefined) return [await withoutPeer(service, rounds)]
  const worker = await startProgram('bullmq-worker', [String(port)])
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null }
  const queue = new Queue('bench', { connection })
  const events = new QueueEvents('bench', { connection })
  const peer = async () => {
    const samples: number[] = []
    for (let n = 0; n < CALLS; n++) {
      const submitted = machineMs()
      const job = await queue.add('job', JSON.parse(BODY))
      samples.push(Number(await job.waitUntilFinished(events)) - submitted)
    }
    return samples
  }
  try {
    await events.waitUntilReady()
    const results = await inTurn(rounds, () => ours(service, CALLS), peer)
    const against = { unit: 'ms', against: 'BullMQ, Redis appendfsync always', most: 1 }
    const at = (share: number) =>
      [percentile(results.ours.flat(), share), percentile(results.other.flat(), share)] as const
    const p50 = [median(results.ours.map(median)), median(results.other.map(median))] as const
    return [
      compared('submit to handler start, p50', ...p50, against),
      compared('submit to handler start, p99', ...at(0.99), against),
    ]
  } finally {
    await Promise.all([queue.close(), events.close(), worker.stop()])
    await redis.stop()
  }
}

async function withoutPeer(service: Service, rounds: number): Promise<Row> {
  const samples = await ours(service, CALLS * rounds)
  const why = 'BullMQ not measured: no redis-server on the PATH (apt-get install redis-server)'
  return {
    what: 'submit to handler start, p50',
    figure: `${median(samples).toFixed(2)} ms`,
    against: why,
    target: '<= 1 of it',
    holds: undefined,
  }
}
