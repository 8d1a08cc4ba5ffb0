import { join } from 'node:path'
import { inTurn } from '../in-turn.ts'
import { compared, type Row } from '../report.ts'
import { median } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'
import { seedManyJobs } from '../support/seed.ts'
import { type Service, startService, workerCommand } from '../support/service.ts'
import { type WorkerSide, workerSide } from '../support/worker-side.ts'

const MANY = 1_000_000
const FEW = 100
const CALLS = 200
const WARM_ROUNDS = 3
const ID = 'queue'
const INPUT = { input: { prompt: 'a ship in a dry dock' } }

type Queue = { readonly service: Service; readonly worker: WorkerSide }

/** A queue of a million jobs and one of a hundred: a take must cost the same. */
export function millionJobs(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const many = await openQueue(join(folder, 'many'), MANY)
    const few = await openQueue(join(folder, 'few'), FEW)
    try {
      // Long enough for the system to write what was filled in; until then it would slow the commits of both.
      for (let n = 0; n < WARM_ROUNDS; n++) for (const queue of [many, few]) await takes(queue, CALLS)
      const take = await inTurn(
        rounds,
        () => takes(many, CALLS),
        () => takes(few, CALLS),
      )
      const [ours, other] = [take.ours, take.other].map((side) => median(side.map(median))) as [number, number]
      const against = { unit: 'ms', against: 'with 100', most: 1.2 }
      return [compared('take with 1,000,000 waiting, p50', ours, other, against)]
    } finally {
      many.worker.close()
      few.worker.close()
      await Promise.all([many.service.stop(), few.service.stop()])
    }
  })
}

async function openQueue(folder: string, jobs: number): Promise<Queue> {
  const identity = join(folder, 'worker.json')
  const command = workerCommand('stand-in-worker', identity)
  await seedManyJobs(folder, { endpointId: ID, command, jobs, ended: false })
  const service = await startService(folder)
  return { service, worker: await workerSide(identity) }
}

// Each job that is taken is replaced, so that the queue stays as long as it was.
async function takes({ service, worker }: Queue, count: number): Promise<readonly number[]> {
  const samples: number[] = []
  for (let n = 0; n < count; n++) {
    await service.call('POST', `/v2/${ID}/run`, INPUT)
    const { id, ms } = await worker.take()
    samples.push(ms)
    await worker.done(id)
  }
  return samples
}
