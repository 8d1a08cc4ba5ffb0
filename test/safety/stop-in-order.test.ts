import { test } from 'vitest'
import { stopInOrder } from './stop-in-order.ts'

test('SIGTERM lets eight running jobs end within the grace time, and queues the rest again', async () => {
  await stopInOrder({ runs: 2, isAlone: false })
})
