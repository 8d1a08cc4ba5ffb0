import type { JobState } from '../../src-main/contract/job.ts'
import { setup, type TestService } from './core.ts'
import type { TestWorker } from './worker-client.ts'

/** A service with one job in a state. `worker` is the one that has or had it. */
export type JobInState = Omit<TestService, 'worker'> & { readonly id: string; readonly worker: TestWorker }

const POLICY = { policy: { ttl: 60_000 } }

/** Brings one job of endpoint e into a state, from a fresh service on. */
export async function jobInState(state: JobState, more: object = POLICY): Promise<JobInState> {
  const service = await setup()
  await service.createEndpoint('e', state === 'TIMED_OUT' ? { ttlWhileRunning: 'keep' } : {})
  const worker = await service.worker()
  if (state === 'IN_QUEUE') return { ...service, worker, id: await service.run({ a: 1 }, more) }
  const { jobId: id } = await service.running(more)
  if (state === 'COMPLETED') await worker.done(id, { output: 'out' })
  if (state === 'FAILED') await worker.done(id, { error: 'no', output: 'half' })
  if (state === 'CANCELLED') await service.post(`/v2/e/cancel/${id}`)
  if (state === 'TIMED_OUT') {
    await service.get(`/v2/e/status/${id}?ttl=1`)
    await service.clock.advance(500)
  }
  await service.waitForJob(id, state)
  return { ...service, worker, id }
}
