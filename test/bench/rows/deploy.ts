/** From `drydock deploy` after a change of code in each file until all five endpoints of the app of `drydock init` answer. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { bounded, type Row, short } from '../report.ts'
import { median } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'
import { LAUNCHER, type Service, startService } from '../support/service.ts'

const MOST_MS = 4000
// The file of each endpoint, and a call of it.
const ENDPOINTS = {
  greet: { file: 'cpu_worker.py', input: { name: 'you' } },
  'text-stats': { file: 'class_worker.py', input: { method: 'count', text: 'a ship in a dry dock' } },
  welcome: { file: 'pipeline.py', input: { names: ['you'] } },
  countdown: { file: 'stream_worker.py', input: { start: 0 } },
  api: { file: 'lb_worker.py', path: '/health' },
} as const

type Resource = keyof typeof ENDPOINTS
type Deployed = { readonly endpoints: readonly { readonly id: string; readonly resource: Resource }[] }

/** Deploys again and again, with workers that are processes. */
export function codeDeploys(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const data = join(folder, 'data')
    const service = await startService(data)
    try {
      await drydock(folder, ['init', 'demo'])
      const project = join(folder, 'demo')
      const deploy = async () => {
        const start = performance.now()
        const argv = ['deploy', '--json', '--runs-on', 'processes', '--data', data]
        const { endpoints } = JSON.parse(await drydock(project, argv)) as Deployed
        await Promise.all(endpoints.map(({ id, resource }) => answer(service, id, resource)))
        return performance.now() - start
      }
      await deploy()
      const spans: number[] = []
      for (let round = 0; round < rounds; round++) {
        for (const { file } of Object.values(ENDPOINTS)) appendFileSync(join(project, file), `\nROUND = ${round}\n`)
        spans.push(await deploy())
      }
      const row = bounded('deploy of five endpoints with new code, until all answer', median(spans), MOST_MS, 'ms')
      return [{ ...row, figure: `${row.figure}, slowest ${short(Math.max(...spans))} ms` }]
    } finally {
      await service.stop()
    }
  })
}

async function drydock(cwd: string, argv: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [LAUNCHER, ...argv], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new Error(`drydock ${argv.join(' ')} ended with ${code}`)
  return output
}

async function answer(service: Service, id: string, resource: Resource): Promise<void> {
  const endpoint = ENDPOINTS[resource]
  if ('path' in endpoint) return void (await service.call('GET', `/lb/${id}${endpoint.path}`))
  const { input } = endpoint
  const job = (await service.call('POST', `/v2/${id}/runsync?wait=60000`, { input })) as { readonly status: string }
  if (job.status !== 'COMPLETED') throw new Error(`the job of ${resource} is ${job.status}`)
}
