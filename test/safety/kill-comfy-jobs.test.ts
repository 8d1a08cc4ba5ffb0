import { test } from 'vitest'
import { killComfyJobs } from './kill-comfy-jobs.ts'

// The soak makes 200 of them.
const KILLS = 3

test('a service killed while clients of Comfy API v2 send jobs loses none and duplicates none', async () => {
  await killComfyJobs({ runs: KILLS })
})
