import { expect, it } from 'vitest'
import { METRICS } from '../../src-main/contract/metric-names.ts'
import { setup as setupService } from '../support/core.ts'

const OPEN = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5'

async function setup() {
  const service = await setupService()
  const page = async (accept = 'text/plain') => {
    const response = await service.request('GET', '/metrics', { headers: { accept } })
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
  }
  // A page is given out again for a second.
  const samples = async () => {
    await service.clock.advance(1000)
    const lines = (await page()).text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
    )
  }
  return { ...service, page, samples }
}

it('the page shows what waits, runs and has ended, and how long it took', async () => {
  const { createEndpoint, run, worker, clock, samples, waitForJob } = await setup()
  await createEndpoint()
  const first = await run()
  const taker = await worker()
  expect((await taker.take())?.id).toBe(first)
  await run()
  await run({}, { policy: { lowPriority: true } })
  await clock.advance(3000)
  await taker.ping([first])
  const during = await samples()
  expect(during.get('drydock_jobs{endpoint="e",state="IN_QUEUE"}')).toBe(2)
  expect(during.get('drydock_jobs{endpoint="e",state="IN_PROGRESS"}')).toBe(1)
  expect(during.get('drydock_queue_jobs{endpoint="e",priority="low"}')).toBe(1)
  expect(during.get('drydock_queue_oldest_seconds{endpoint="e"}')).toBe(4)
  expect(during.get('drydock_workers{endpoint="e",state="running"}')).toBe(1)
  expect(during.get('drydock_worker_cold_starts_total{endpoint="e"}')).toBe(1)
  expect(during.get('drydock_jobs_submitted_total{endpoint="e"}')).toBe(3)
  expect(during.has('drydock_job_execution_seconds_count{endpoint="e"}')).toBe(false)

  await taker.done(first, { output: 1 })
  await waitForJob(first, 'COMPLETED')
  const after = await samples()
  expect(after.get('drydock_jobs_ended_total{endpoint="e",state="COMPLETED"}')).toBe(1)
  expect(after.get('drydock_job_execution_seconds_count{endpoint="e"}')).toBe(1)
  expect(after.get('drydock_job_execution_seconds_sum{endpoint="e"}')).toBeCloseTo(4, 1)
  expect(after.get('drydock_job_execution_seconds_bucket{endpoint="e",le="2.5"}')).toBe(0)
  expect(after.get('drydock_job_execution_seconds_bucket{endpoint="e",le="5.0"}')).toBe(1)
  expect(after.get('drydock_job_execution_seconds_bucket{endpoint="e",le="+Inf"}')).toBe(1)
})

it('counters go on over the steps in which metrics are stored, by the state in which jobs ended', async () => {
  const { createEndpoint, run, worker, clock, samples, post, waitForJob } = await setup()
  await createEndpoint()
  const taker = await worker()
  for (const report of [{ output: 1 }, { error: 'no' }, { output: 2 }]) {
    const id = await run()
    expect((await taker.take())?.id).toBe(id)
    await taker.done(id, report)
    await clock.advance(10_000)
  }
  const cancelled = await run()
  await post(`/v2/e/cancel/${cancelled}`)
  await waitForJob(cancelled, 'CANCELLED')
  const seen = await samples()
  const ended = (state: string) => seen.get(`drydock_jobs_ended_total{endpoint="e",state="${state}"}`)
  expect(['COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED'].map(ended)).toEqual([2, 1, 0, 1])
  expect(seen.get('drydock_job_waiting_seconds_count{endpoint="e"}')).toBe(3)
})

it('requests are counted by the path of their route, and an id never becomes a label', async () => {
  const { createEndpoint, run, request, samples } = await setup()
  await createEndpoint()
  await run()
  await request('GET', '/v2/e/status/nobody')
  await request('GET', '/v2/e/status/nobody', { key: 'wrong' })
  await request('GET', '/who/knows')
  const seen = await samples()
  const count = (labels: string) => seen.get(`drydock_http_requests_total{${labels}}`)
  expect(count('route="/v2/:endpointId/run",method="POST",status="200"')).toBe(1)
  expect(count('route="/v2/:endpointId/status/:jobId",method="GET",status="404"')).toBe(1)
  expect(count('route="/v2/:endpointId/status/:jobId",method="GET",status="401"')).toBe(1)
  expect(count('route="unknown",method="GET",status="404"')).toBe(1)
  expect([...seen.keys()].filter((name) => name.includes('nobody') || name.includes('/v2/e/'))).toEqual([])
})

it('a scraper gets the form that it accepts', async () => {
  const { page } = await setup()
  const classic = await page('text/plain')
  const open = await page(OPEN)
  expect(classic).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' })
  expect(open).toMatchObject({ status: 200, type: 'application/openmetrics-text; version=1.0.0; charset=utf-8' })
  expect(classic.text).toContain('# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total ')
  expect(open.text).toContain('# TYPE process_cpu_seconds counter\nprocess_cpu_seconds_total ')
  expect(open.text.endsWith('\n# EOF\n')).toBe(true)
  expect(classic.text).not.toContain('# EOF')
})

it('a key that may read opens it, and the key of an endpoint or none does not', async () => {
  const { createEndpoint, request, post } = await setup()
  const ofEndpoint = await createEndpoint()
  const { key } = await post('/api/keys', { name: 'prometheus', role: 'read' })
  const status = async (given: string | null) => (await request('GET', '/metrics', { key: given })).status
  expect([await status(key), await status(ofEndpoint), await status(null)]).toEqual([200, 403, 401])
  expect((await request('GET', '/metrics', { headers: { host: 'evil.example' } })).status).toBe(403)
})

it('names of endpoints are written so that they end no label', async () => {
  const { createEndpoint, page } = await setup()
  await createEndpoint('e', { name: 'a "b" \\ c' })
  expect((await page()).text).toContain('drydock_endpoint_info{endpoint="e",name="a \\"b\\" \\\\ c",kind="queue"} 1')
})

it('every family of the page is a row of the table', async () => {
  const { createEndpoint, page } = await setup()
  await createEndpoint()
  const families = [...(await page(OPEN)).text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
  expect(families.length).toBeGreaterThan(20)
  expect(families.filter((name) => name === undefined || !(name in METRICS))).toEqual([])
})
