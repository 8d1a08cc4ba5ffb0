/** Time from saving a handler's file to the first answer of its new code, on an endpoint with a warm worker. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bounded, type Row, short } from '../report.ts'
import { median } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'
import { createEndpoint, type Service, startService, workerIsIdle } from '../support/service.ts'

const SAVES = 20
const MOST_MS = 1000

/** Saves the file again once the previous save has answered. */
export function savedCode(): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const handler = join(folder, 'live.py')
    const save = (answer: number) => writeFileSync(handler, `def handler(job):\n    return ${answer}\n`)
    save(0)
    const service = await startService(join(folder, 'data'))
    try {
      await createEndpoint(service, { id: 'live', handler, workersMin: 1, workersMax: 1 })
      await workerIsIdle(service, 'live')
      const spans: number[] = []
      for (let answer = 1; answer <= SAVES; answer++) {
        const start = performance.now()
        save(answer)
        while ((await answerOf(service)) !== answer);
        spans.push(performance.now() - start)
      }
      const row = bounded(
        `a saved handler answers with its new code, p50 of ${SAVES} saves`,
        median(spans),
        MOST_MS,
        'ms',
      )
      return [{ ...row, figure: `${row.figure}, slowest ${short(Math.max(...spans))} ms` }]
    } finally {
      await service.stop()
    }
  })
}

async function answerOf(service: Service): Promise<unknown> {
  const { output } = (await service.call('POST', '/v2/live/runsync', { input: {} })) as { readonly output?: unknown }
  return output
}
