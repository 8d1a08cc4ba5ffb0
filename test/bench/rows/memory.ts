/** Memory of a service with 100,000 jobs in its queue: right after they were submitted, and a minute later. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { residentMb } from '../../support/resident-memory.ts'
import { bounded, type Row } from '../report.ts'
import { openClients } from '../support/clients.ts'
import { withFolder } from '../support/folders.ts'
import { createEndpoint, startService } from '../support/service.ts'

const JOBS = 100_000
const CONNECTIONS = 64
const LATER_MS = 60_000
// Source: ours, for what the load takes while it lasts, and the goal of the service after a load.
const MOST_MB = 300
const MOST_LATER_MB = 200

/** Measures both. */
export function queuedMemory(): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const service = await startService(join(folder, 'service'))
    try {
      await createEndpoint(service, { id: 'queue', command: 'true' })
      await service.call('POST', '/api/endpoints/queue/pause')
      const body = JSON.stringify({ input: { prompt: 'a ship in a dry dock '.repeat(10) } })
      const request = { port: service.port, path: '/v2/queue/run', headers: [service.auth], body }
      const clients = await openClients('socket', CONNECTIONS, request)
      let left = JOBS
      await Promise.all(
        clients.map(async ({ send }) => {
          while (left-- > 0) await send()
        }),
      )
      for (const { close } of clients) close()
      const loaded = residentMb(service.pid)
      await pause(LATER_MS)
      return [
        bounded('resident after 100,000 jobs were queued', loaded, MOST_MB, 'MB'),
        bounded('the same, a minute later', residentMb(service.pid), MOST_LATER_MB, 'MB'),
      ]
    } finally {
      await service.stop()
    }
  })
}
