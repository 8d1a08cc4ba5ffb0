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

/** 100,000 ended jobs in the file: a page of the list, a search, and the start of the service. */
export function endedJobs(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    await seedFolder(folder, { endpointId: 'ended', command: 'true', jobs: JOBS, ended: true })
    const service = await startService(folder)
    const p99 = async (query: string) => {
      const to = { port: service.port, path: `/v2/ended/requests?limit=50${query}`, headers: [service.auth] }
      await latencies(to, 1)
      return percentile(await latencies(to, CALLS), 0.99)
    }
    const pages: readonly (readonly [string, string])[] = [
      ['newest 50', ''],
      ['newest 50 in one state', '&status=COMPLETED'],
      ['50 from the middle', `&cursor=${JOBS / 2}`],
      ['search, a word of every 10th job', '&q=harbour'],
      ['search, a word of one job', `&q=${JOBS / 2 + 3}`],
      ['search, two words in one state', '&q=keel%20sail&status=COMPLETED'],
      ['search, no job', '&q=nothing'],
    ]
    const rows: Row[] = []
    try {
      await service.call('POST', '/api/endpoints/ended/pause')
      for (const [name, query] of pages)
        rows.push(bounded(`jobs list, 100,000 ended: ${name}, p99`, await p99(query), LIST_MS, 'ms'))
    } finally {
      await service.stop()
    }
    const starts: number[] = []
    for (let round = 0; round < rounds; round++) starts.push(await startMs(folder, 'ended'))
    const worst = short(Math.max(...starts))
    rows.push(bounded(`start to first 200, 100,000 jobs (worst ${worst} ms)`, median(starts), START_MS, 'ms'))
    return rows
  })
}
