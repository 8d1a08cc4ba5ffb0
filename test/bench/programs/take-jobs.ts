/**
 * Many workers in one process, as nothing but their calls: each takes the place of a worker that left its environment
 * in a file of the folder named by the first argument (support/service, parkedCommand), waits for jobs in so many calls
 * as the second argument says, and reports each as done at once.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openConnection, requestBytes } from '../support/connection.ts'

const [folder = '', loops = '1'] = process.argv.slice(2)

/** The calls of one worker, until the service ends them. */
async function work(env: ReadonlyMap<string, string>): Promise<void> {
  const worker = env.get('RUNPOD_POD_ID') ?? ''
  const take = new URL((env.get('RUNPOD_WEBHOOK_GET_JOB') ?? '').replace('$ID', worker))
  const done = new URL((env.get('RUNPOD_WEBHOOK_POST_OUTPUT') ?? '').replace('$RUNPOD_POD_ID', worker)).pathname
  const port = Number(take.port)
  const auth = [`authorization: ${env.get('RUNPOD_AI_API_KEY')}`]
  // As one that runs jobs: it is never told to let go of those that its other calls have.
  const request = requestBytes('GET', `${take.pathname}?w=1&job_in_progress=1`, port, auth)
  const connection = await openConnection(port)
  for (;;) {
    const { status, body } = await connection.send(request)
    if (status !== 200) continue
    const id = body.toString('latin1', 7, body.indexOf('"', 7)) // {"id":"...
    await connection.send(requestBytes('POST', `${done.replace('$ID', id)}?w=1`, port, auth, '{"output":{}}'))
  }
}

const files = readdirSync(folder).filter((name) => !name.endsWith('.new'))
for (const file of files) {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n')
  const env = new Map(lines.map((line) => line.split(/=(.*)/s, 2) as [string, string]))
  for (let n = 0; n < Number(loops); n++) work(env).catch(() => process.exit(0))
}
process.send?.('ready')
