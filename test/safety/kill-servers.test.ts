import { expect, test } from 'vitest'
import { killServers } from './kill-servers.ts'

// The soak makes 200 of each.
const KILLS = 20
const KILLS_OF_THE_SERVICE = 3
// A worker needs a second to notice that its server is lost, and another second to start again.
const LIMIT_MS = 5 * 60_000

test(
  'a ComfyUI server that is killed while it runs a graph loses none and duplicates none',
  async () => {
    await killServers({ runs: KILLS })
  },
  LIMIT_MS,
)

test(
  'a service that is killed while its ComfyUI servers run graphs loses none and runs none twice',
  async () => {
    const { ranAgain, completedAgain } = await killServers({ runs: KILLS_OF_THE_SERVICE, ofService: true })
    expect([ranAgain, completedAgain]).toEqual([0, 0])
  },
  LIMIT_MS,
)
