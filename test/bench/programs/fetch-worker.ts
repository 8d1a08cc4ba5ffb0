/**
 * A worker that does nothing with its jobs, written as one writes it: with fetch. The same program works for the
 * service and for the floor. BENCH_LOOPS: jobs at once.
 */
const env = (name: string) => process.env[name] ?? ''
const worker = env('RUNPOD_POD_ID')
const takeUrl = `${env('RUNPOD_WEBHOOK_GET_JOB').replace('$ID', worker)}&job_in_progress=0`
const doneUrl = `${env('RUNPOD_WEBHOOK_POST_OUTPUT').replace('$RUNPOD_POD_ID', worker)}&isStream=false`
const headers = { authorization: env('RUNPOD_AI_API_KEY'), 'content-type': 'application/json' }
const body = JSON.stringify({ output: {} })

async function work(): Promise<never> {
  for (;;) {
    const taken = await fetch(takeUrl, { headers })
    if (taken.status === 204) continue
    if (taken.status !== 200) throw new Error(`job-take answered ${taken.status}`)
    const { id } = (await taken.json()) as { id: string }
    const answer = await fetch(doneUrl.replace('$ID', id), { method: 'POST', headers, body })
    if (answer.status !== 200) throw new Error(`job-done answered ${answer.status}`)
    await answer.json()
  }
}

// The end of the service ends the connections: then there is no more to do.
await Promise.race(Array.from({ length: Number(env('BENCH_LOOPS') || 1) }, work)).catch(() => process.exit(0))
