import { expect, test } from 'vitest'
import { startedService } from '../support/served-service.ts'
import { freezeWorkers, killEveryWorkerOf, killWorkers } from './lose-workers.ts'

test('the job of a killed worker is leased again at once, and one result counts', async () => {
  await killWorkers({ runs: 5 })
})

test('the late result of a worker that was frozen past its lease is refused', async () => {
  await freezeWorkers({ runs: 4 })
})

test('a job fails with the reason when its second worker is lost', async () => {
  const service = await startedService()
  await service.createEndpoint('work', { workersMin: 2, workersMax: 2 })
  expect(await killEveryWorkerOf(service, 'work')).toMatchObject({
    status: 'FAILED',
    error: expect.stringMatching(/^job timed out after 1 retries: killed by SIGKILL/),
    retries: 1,
  })
})
