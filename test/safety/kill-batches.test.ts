import { test } from 'vitest'
import { killBatches } from './kill-batches.ts'

// The soak makes 200 of them.
const KILLS = 4

test('a service that is killed in any state of a batch loses no request, and runs none as two jobs', async () => {
  await killBatches({ runs: KILLS })
})
