import { test } from 'vitest'
import { killTheService } from './kill-the-service.ts'

// The other places are in kill-the-service.test.ts.
test('a service that is killed while 16 clients submit loses no acknowledged job', async () => {
  await killTheService({ runs: 1, first: 4 })
})
