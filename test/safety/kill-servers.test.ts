import { test } from 'vitest'
import { killServers } from './kill-servers.ts'

// The soak makes 200 of them.
const KILLS = 20
// A worker of a lost server takes a second to notice, and another one to start again.
const LIMIT_MS = 5 * 60_000

test(
  'a ComfyUI server that is killed while it runs a graph loses none and duplicates none',
  async () => {
    await killServers({ runs: KILLS })
  },
  LIMIT_MS,
)
