/**
 * A worker that does nothing with its jobs: it speaks the worker protocol over bare connections. The same program works
 * for the service and for the floors. BENCH_LOOPS: jobs at once. BENCH_OUTPUT: `empty`, `start` (the moment the handler
 * began, ms of the machine's monotonic clock) or `echo` (the input as it came).
 */
import { openConnection, requestBytes, requestParts } from '../support/connection.ts'
import { machineMs } from '../support/machine-time.ts'

const env = (name: string) => process.env[name] ?? ''
const worker = env('RUNPOD_POD_ID')
const take = new URL(env('RUNPOD_WEBHOOK_GET_JOB').replace('$ID', worker))
const done = new URL(env('RUNPOD_WEBHOOK_POST_OUTPUT').replace('$RUNPOD_POD_ID', worker))
const port = Number(take.port)
const auth = `authorization: ${env('RUNPOD_AI_API_KEY')}`
const output = env('BENCH_OUTPUT')
const INPUT = Buffer.from('"input":')
const takeRequest = requestBytes('GET', `${take.pathname}?w=1&job_in_progress=0`, port, [auth])

// The texts are cut, not parsed: what a handler would do with its input is not the matter here.
function resultOf(job: Buffer): Buffer {
  if (output === 'start') return Buffer.from(`{"output":${machineMs()}}`)
  if (output !== 'echo') return Buffer.from('{"output":{}}')
  const input = job.subarray(job.indexOf(INPUT) + INPUT.length, job.length - 1)
  return Buffer.concat([Buffer.from('{"output":'), input, Buffer.from('}')])
}

async function work(): Promise<never> {
  const connection = await openConnection(port)
  for (;;) {
    const { status, body } = await connection.send(takeRequest)
    if (status === 204) continue
    if (status !== 200) throw new Error(`job-take answered ${status}`)
    const result = resultOf(body)
    const id = body.toString('latin1', 7, body.indexOf('"', 7)) // {"id":"...
    const path = `${done.pathname.replace('$ID', id)}?w=1&isStream=false`
    const answer = await connection.send(requestParts('POST', path, port, [auth], result))
    if (answer.status !== 200) throw new Error(`job-done answered ${answer.status}`)
  }
}

// The end of the service ends the connections: then there is no more to do.
await Promise.race(Array.from({ length: Number(env('BENCH_LOOPS') || 1) }, work)).catch(() => process.exit(0))
