import { test } from 'vitest'
import { killServers } from './kill-servers.ts'

// The soak makes 200 of them.
const KILLS = 20
// A worker needs a second to notice that its server is lost, and another second to start again.
const LIMIT_MS = 5 * 60_000

test(
  'a ComfyUI server that is killed while it runs a graph loses none and duplicates none',
  async () => {
    await killServers({ runs: KILLS })
  },
  LIMIT_MS,
)
