import { test } from 'vitest'
import { purgeBursts } from './purge-a-burst.ts'

test('a burst of 10,000 jobs is purged within a second, and the counts are exact', async () => {
  await purgeBursts({ runs: 1 })
})
