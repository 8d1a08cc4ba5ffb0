import { join } from 'node:path'
import { Queue, QueueEvents } from 'bullmq'
import { inTurn } from '../in-turn.ts'
import { compared, notMeasured, type Row, short } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { JOB_BODY } from '../support/clients.ts'
import { openConnection, requestBytes } from '../support/connection.ts'
import { withFolder } from '../support/folders.ts'
import { freePort } from '../support/free-port.ts'
import { machineMs } from '../support/machine-time.ts'
import { startProgram } from '../support/programs.ts'
import { startRedis } from '../support/redis.ts'
import { createWarmEndpoint, type Service, startService } from '../support/service.ts'

const CALLS = 300
const MOST = 0.5
const WHAT = 'submit to handler start, p50'

/** From the call that submits a job to the first line of its handler, in another process, one job at a time. */
export function startLatency(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const service = await startService(join(folder, 'service'))
    try {
      await createWarmEndpoint(service, 'start', { output: 'start' })
      await ours(service, CALLS)
      return [await againstPeer(service, folder, rounds)]
    } finally {
      await service.stop()
    }
  })
}

async function ours(service: Service, count: number): Promise<number[]> {
  const connection = await openConnection(service.port)
  const request = requestBytes('POST', '/v2/start/runsync', service.port, [service.auth], JOB_BODY)
  const samples: number[] = []
  for (let n = 0; n < count; n++) {
    const submitted = machineMs()
    const { body } = await connection.send(request)
    samples.push((JSON.parse(body.toString()) as { output: number }).output - submitted)
  }
  connection.close()
  return samples
}

async function againstPeer(service: Service, folder: string, rounds: number): Promise<Row> {
  const port = await freePort()
  const redis = await startRedis(folder, port)
  if (redis === undefined) return notMeasured(WHAT, 'no redis-server on the PATH: apt-get install redis-server')
  const worker = await startProgram('bullmq-worker', [String(port)])
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null }
  const queue = new Queue('bench', { connection })
  const events = new QueueEvents('bench', { connection })
  const peer = async () => {
    const samples: number[] = []
    for (let n = 0; n < CALLS; n++) {
      const submitted = machineMs()
      const job = await queue.add('job', JSON.parse(JOB_BODY))
      samples.push(Number(await job.waitUntilFinished(events)) - submitted)
    }
    return samples
  }
  try {
    await events.waitUntilReady()
    const results = await inTurn(rounds, () => ours(service, CALLS), peer)
    const p99 = (side: readonly (readonly number[])[]) => short(percentile(side.flat(), 0.99))
    const row = compared(WHAT, median(results.ours.map(median)), median(results.other.map(median)), {
      ...{ unit: 'ms', against: 'BullMQ, Redis appendfsync always', most: MOST },
    })
    return { ...row, figure: `${row.figure}, p99 ${p99(results.ours)} ms (BullMQ ${p99(results.other)} ms)` }
  } finally {
    await Promise.all([queue.close(), events.close(), worker.stop()])
    await redis.stop()
  }
}
