import fc from 'fast-check'
import { it } from 'vitest'
import { setup } from '../support/core.ts'
import { compareWithModel, jobOperations } from '../support/job-model.ts'
import { soakFault } from './support/record-safety.ts'

it('11: random histories of jobs agree with the model', async () => {
  const service = await setup({ settings: { maxWorkers: 1000 } })
  await soakFault({ row: 11, of: 10_000 }, async (runs) => {
    await fc.assert(
      fc.asyncProperty(jobOperations, (operations) => compareWithModel(service, operations)),
      { numRuns: runs },
    )
    return { runs }
  })
})
