/**
 * A picture of 512 x 512 pixels with 20 steps by the stand-in image worker: from the call to the result, and from the
 * call to the report of its first node.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bounded, type Row, short } from '../report.ts'
import { median } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'
import { machineMs } from '../support/machine-time.ts'
import { readSentEvents } from '../support/sent-events.ts'
import { createEndpoint, type Service, startService } from '../support/service.ts'

// Source: docs/spec/image-workflows.md, 6.1.
const MOST_MS = 2000
const MOST_FIRST_NODE_MS = 15
const CALLS = 8

const resource = (path: string) => fileURLToPath(new URL(`../../../resources/${path}`, import.meta.url))

/** The example of the catalog, each time with a seed of its own; the first call starts the worker. */
export function sketchPicture(): Promise<readonly Row[]> {
  const { example } = JSON.parse(readFileSync(resource('catalog/sketch.json'), 'utf8'))
  return withFolder(async (folder) => {
    const service = await startService(join(folder, 'service'))
    try {
      await createEndpoint(service, { id: 'sketch', handler: resource('node/sketch/handler.ts'), workersMax: 1 })
      const cold = await timed(service, example, 0)
      const warm: { readonly ms: number; readonly firstNodeMs: number }[] = []
      for (let seed = 1; seed <= CALLS; seed += 1) warm.push(await timed(service, example, seed))
      const what = `picture of the sketch worker, 512 x 512, 20 steps (with the worker's start ${short(cold.ms)} ms)`
      const first = warm.map(({ firstNodeMs }) => firstNodeMs)
      const firstRow = bounded(
        'workflow of the sketch worker: submit to first node, p50',
        median(first),
        MOST_FIRST_NODE_MS,
        'ms',
      )
      return [
        bounded(what, median(warm.map(({ ms }) => ms)), MOST_MS, 'ms'),
        { ...firstRow, figure: `${firstRow.figure}, slowest ${short(Math.max(...first))} ms` },
      ]
    } finally {
      await service.stop()
    }
  })
}

type Example = { input: { workflow: Record<string, { inputs: Record<string, unknown> }> } }

async function timed(service: Service, example: Example, seed: number) {
  const body = structuredClone(example)
  Object.assign(body.input.workflow[3]?.inputs ?? {}, { seed })
  let firstNodeAt = Number.NaN
  const events = await readSentEvents(service, '/events?endpoint=sketch', (data, at) => {
    if (Number.isNaN(firstNodeAt) && (JSON.parse(data) as { event?: string }).event === 'progress') firstNodeAt = at
  })
  const start = machineMs()
  const job = (await service.call('POST', '/v2/sketch/runsync?wait=60000', body)) as { status: string }
  const ms = machineMs() - start
  events.close()
  if (job.status !== 'COMPLETED') throw new Error(`the picture is ${job.status}`)
  return { ms, firstNodeMs: firstNodeAt - start }
}
