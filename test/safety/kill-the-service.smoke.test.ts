import { test } from 'vitest'
import { killTheService } from './kill-the-service.ts'

// kill-the-service.test.ts kills it at other moments.
test('a service that is killed while 16 clients submit loses no acknowledged job', async () => {
  await killTheService({ runs: 1, first: 4 })
})
