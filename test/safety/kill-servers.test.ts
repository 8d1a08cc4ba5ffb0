import { test } from 'vitest'
import { killServers } from './kill-servers.ts'

// The soak makes 200 of them.
const KILLS = 20

test('a ComfyUI server that is killed while it runs a graph loses none and duplicates none', async () => {
  await killServers({ runs: KILLS })
})
