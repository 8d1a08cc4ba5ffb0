import { test } from 'vitest'
import { purgeBursts } from '../safety/purge-a-burst.ts'

// Most of it are the 10,000 requests; ms.
const LIMIT_MS = 120_000

test(
  'a burst of 10,000 jobs is purged within a second, and the counts are exact',
  async () => {
    await purgeBursts({ runs: 1 })
  },
  LIMIT_MS,
)
