/**
 * A worker that notes which of its results and chunks the service has taken: from then on it forgets them. It gives back
 * its input, `chunks` of it one by one before; `fails` makes the job fail. Arguments: the file of notes.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { hashOfJson, noteIn } from './acknowledgements.ts'

type Input = { readonly n: number; readonly chunks?: number; readonly fails?: boolean; readonly waitMs?: number }
type Job = { readonly id: string; readonly input: Input }

const note = noteIn(process.argv[2] ?? '')
const env = (name: string) => process.env[name] ?? ''
const worker = env('RUNPOD_POD_ID')
const takeUrl = `${env('RUNPOD_WEBHOOK_GET_JOB').replace('$ID', worker)}&job_in_progress=`
const doneUrl = `${env('RUNPOD_WEBHOOK_POST_OUTPUT').replace('$RUNPOD_POD_ID', worker)}&isStream=false`
const chunkUrl = env('RUNPOD_WEBHOOK_POST_STREAM').replace('$RUNPOD_POD_ID', worker)
const headers = { authorization: env('RUNPOD_AI_API_KEY'), 'content-type': 'application/json' }
const RETRY_MS = 50

// As a real worker does: a result is sent until the service has it, also by a service that was started again.
async function send(url: string, body: unknown): Promise<boolean> {
  for (;;) {
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => undefined)
    if (answer !== undefined) await answer.arrayBuffer().catch(() => undefined)
    if (answer !== undefined && answer.status < 500) return answer.status === 200
    await pause(RETRY_MS)
  }
}

let running = 0

async function run({ id, input }: Job): Promise<void> {
  await pause(input.waitMs ?? 0)
  for (let n = 1; n <= (input.chunks ?? 0); n += 1)
    if (await send(chunkUrl.replace('$ID', id), { output: { n } })) note({ what: 'chunks', id, count: n })
  const result = input.fails === true ? { error: `failed ${input.n}`, output: input } : { output: input }
  // Of one that failed: it may be tried again before this is noted.
  if (!(await send(doneUrl.replace('$ID', id), result)) || input.fails === true) return
  // The answer is the same to a result that came too late, of a job that was cancelled or given to another.
  note({ what: 'taken', id, output: hashOfJson(input) })
}

async function work(): Promise<never> {
  for (;;) {
    // A worker that says it runs nothing after a restart gives all its jobs back.
    const taken = await fetch(`${takeUrl}${running > 0 ? 1 : 0}`, { headers }).catch(() => undefined)
    if (taken === undefined) await pause(RETRY_MS)
    else if (taken.status === 200) {
      const job = (await taken.json()) as Job
      running += 1
      await run(job)
      running -= 1
    } else await taken.arrayBuffer()
  }
}

const AT_ONCE = 4
await Promise.all(Array.from({ length: AT_ONCE }, work))
