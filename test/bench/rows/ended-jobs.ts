import { join } from 'node:path'
import { bounded, type Row, short } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'
import { latencies } from '../support/latency.ts'
import { seedFolder } from '../support/seed.ts'
import { startMs, startService } from '../support/service.ts'

const JOBS = 100_000
const CALLS = 100
const LIST_MS = 50
const START_MS = 700
const EMPTY_START_MS = 500

/** 100,000 ended jobs in the file: a page of the list, a search, and the start of the service next to an empty one's. */
export function endedJobs(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    await seedFolder(folder, { endpointId: 'ended', command: 'true', jobs: JOBS, ended: true })
    const service = await startService(folder)
    const p99 = async (query: string) => {
      const to = { port: service.port, path: `/v2/ended/requests?limit=50${query}`, headers: [service.auth] }
      await latencies(to, 1)
      return percentile(await latencies(to, CALLS), 0.99)
    }
    // The page that is opened most, and the slowest search.
    const pages = [
      ['newest 50', ''],
      ['search, two words in one state', '&q=keel%20sail&status=COMPLETED'],
    ] as const
    const rows: Row[] = []
    try {
      await service.call('POST', '/api/endpoints/ended/pause')
      for (const [name, query] of pages)
        rows.push(bounded(`jobs list, 100,000 ended: ${name}, p99`, await p99(query), LIST_MS, 'ms'))
    } finally {
      await service.stop()
    }
    const empty = join(folder, 'empty')
    await seedFolder(empty, { endpointId: 'ended', command: 'true', jobs: 0, ended: true })
    await (await startService(empty)).stop()
    return [
      ...rows,
      await startRow('start to first 200, empty', empty, rounds, EMPTY_START_MS),
      await startRow('start to first 200, 100,000 jobs', folder, rounds, START_MS),
    ]
  })
}

async function startRow(what: string, folder: string, rounds: number, most: number): Promise<Row> {
  const starts: number[] = []
  for (let round = 0; round < rounds; round++) starts.push(await startMs(folder, 'ended'))
  const row = bounded(what, median(starts), most, 'ms')
  return { ...row, figure: `${row.figure}, slowest ${short(Math.max(...starts))} ms` }
}
