import { join } from 'node:path'
import { openStorage } from '../../../src-main/storage/open-storage.ts'
import type { Row } from '../report.ts'
import { type Filled, growthOfFolders, p50InTurn } from '../support/growth.ts'
import { latencies } from '../support/latency.ts'
import { logLines, seedLogs } from '../support/seed.ts'

const ID = 'logs'
const CALLS = 50
// Lines of a busy worker between two looks at its output, and how often they are written.
const LINES = 100
const APPENDS = 50
const READ = `/api/endpoints/${ID}/logs?tail=200`

/** Ten thousand log lines, and a hundred times as many. @param large begins with a hundred thousand */
export function growthLogs(rounds: number, large: boolean): Promise<readonly Row[]> {
  return growthOfFolders(
    { things: 'log lines', large },
    (folder, lines) => seedLogs(folder, ID, lines),
    async (sides, add) => {
      add('newest 200 lines of an endpoint, p50', await p50InTurn(rounds, sides, reads))
      for (const { side } of sides) await side.service.stop() // which writes lines itself
      add(`${LINES} lines written, p50`, await p50InTurn(rounds, sides, appends))
    },
  )
}

const reads = ({ service: { port, auth } }: Filled) => latencies({ port, path: READ, headers: [auth] }, CALLS)

// Lines come from workers alone, so they are written to the storage itself.
async function appends({ folder }: Filled, lines: number): Promise<readonly number[]> {
  const storage = openStorage(join(folder, 'drydock.db'))
  const samples: number[] = []
  for (let n = 0; n < APPENDS; n++) {
    const batch = logLines(ID, lines + n * LINES, LINES)
    const start = performance.now()
    await storage.write(() => storage.logs.append(batch))
    samples.push(performance.now() - start)
  }
  await storage.close()
  return samples
}
