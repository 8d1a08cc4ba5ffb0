import fc from 'fast-check'
import { it } from 'vitest'
import { setup } from '../support/core.ts'
import { compareWithModel, jobOperations } from '../support/job-model.ts'

it('300 random histories of jobs agree with the model', async () => {
  const service = await setup({ settings: { maxWorkers: 1000 } })
  await fc.assert(
    fc.asyncProperty(jobOperations, (operations) => compareWithModel(service, operations)),
    { numRuns: 300 },
  )
})
