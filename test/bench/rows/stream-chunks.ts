/** A chunk of a stream: from the moment at which the handler yields it, in svc_worker, until a client that listens has it. */
import { join } from 'node:path'
import { bounded, type Row, short } from '../report.ts'
import { median, percentile } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'
import { PROGRAMS } from '../support/programs.ts'
import { readSentEvents } from '../support/sent-events.ts'
import { createEndpoint, type Service, startService, workerIsIdle } from '../support/service.ts'

const STREAMS = 50
// Of all streams together.
const CHUNKS_PER_SECOND = 200
const CHUNKS = 20
const EVERY_S = STREAMS / CHUNKS_PER_SECOND
const MOST_P99_MS = 5

/** Measures all chunks of streams that run at once, each from a job of its own. */
export function streamChunks(): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const service = await startService(join(folder, 'service'))
    try {
      const handler = join(PROGRAMS, 'stream_handler.py')
      const oneWorker = { workersMin: 1, workersMax: 1, concurrency: STREAMS }
      await createEndpoint(service, { id: 'stream', handler, ...oneWorker })
      await workerIsIdle(service, 'stream')
      await spansOf(service, 1, 0) // warm up
      const streams = Array.from({ length: STREAMS }, (_, at) => spansOf(service, CHUNKS, (EVERY_S * at) / STREAMS))
      const spans = (await Promise.all(streams)).flat()
      const what = `stream chunk, ${STREAMS} streams, ${CHUNKS_PER_SECOND} chunks/s in all: yield to client, p99`
      const row = bounded(what, percentile(spans, 0.99), MOST_P99_MS, 'ms')
      return [{ ...row, figure: `${row.figure}, p50 ${short(median(spans))} of ${spans.length}` }]
    } finally {
      await service.stop()
    }
  })
}

/** Reads one stream to its end; ms of each chunk. @param afterS spreads the streams over the time between two chunks */
async function spansOf(service: Service, chunks: number, afterS: number): Promise<readonly number[]> {
  const input = { chunks, after_s: afterS, every_s: EVERY_S }
  const { id } = (await service.call('POST', '/v2/stream/run', { input })) as { readonly id: string }
  const spans: number[] = []
  const { ended } = await readSentEvents(service, `/v2/stream/stream/${id}`, (data, at) => {
    const { output } = JSON.parse(data) as { readonly output?: number }
    if (output !== undefined) spans.push(at - output)
  })
  await ended
  if (spans.length !== chunks) throw new Error(`${spans.length} of ${chunks} chunks came`)
  return spans
}
