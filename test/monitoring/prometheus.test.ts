import { beforeEach, expect, it } from 'vitest'
import { findPrometheus, lintMetrics, startPrometheus } from '../support/prometheus.ts'
import { startedService, until } from '../support/served-service.ts'

const programs = await findPrometheus()

beforeEach(({ skip }) => skip('why' in programs, 'why' in programs ? programs.why : ''))

async function setup() {
  if ('why' in programs) throw new Error(programs.why)
  const service = await startedService()
  await service.createHandler('ok', 'def handler(job):\n    return job["input"]\n')
  await service.createHandler('no', 'def handler(job):\n    raise ValueError("no")\n')
  const { key } = await service.post('/api/keys', { name: 'prometheus', role: 'read' })
  const page = async (accept: string) => {
    const response = await fetch(`${service.url()}/metrics`, { headers: { accept, authorization: `Bearer ${key}` } })
    expect(response.status).toBe(200)
    return response.text()
  }
  return { ...service, programs, key, page }
}

it('a real Prometheus scrapes the page with a key that may only read, and knows what happened', async () => {
  const { programs, url, key, run, jobEnd } = await setup()
  const prometheus = await startPrometheus(programs, { url: url(), key })
  expect(await prometheus.target()).toMatchObject({ health: 'up', lastError: '' })
  for (const endpoint of ['ok', 'ok', 'no']) await jobEnd(endpoint, await run(endpoint, {}))
  const sumOf = async (expression: string) => (await prometheus.query(expression))[0]?.value
  await until(async () => {
    expect(await sumOf('drydock_jobs_ended_total{endpoint="ok",state="COMPLETED"}')).toBe(2)
    expect(await sumOf('drydock_jobs_ended_total{endpoint="no",state="FAILED"}')).toBe(1)
    expect(await sumOf('drydock_job_execution_seconds_count{endpoint="ok"}')).toBe(2)
    expect(await sumOf('sum(drydock_worker_cold_starts_total)')).toBe(2)
    expect(await sumOf('histogram_quantile(0.99, sum by (le) (drydock_job_waiting_seconds_bucket))')).toBeGreaterThan(0)
  })
  // A page that it cannot read is an error here, and the scrape would count as failed.
  expect(await prometheus.target()).toMatchObject({ health: 'up', lastError: '' })
})

it('promtool accepts the page in both forms', async () => {
  const { programs, page, run, jobEnd } = await setup()
  await jobEnd('ok', await run('ok', {}))
  expect(await lintMetrics(programs, await page('text/plain'))).toEqual([])
  // It reads both as the older form, in which a counter's help has the name of its samples; OpenMetrics is what the
  // scrape above asks for.
  const open = await page('application/openmetrics-text')
  expect((await lintMetrics(programs, open)).filter((line) => !/_total no help text$/.test(line))).toEqual([])
  // The check must be able to fail.
  expect(await lintMetrics(programs, 'a{b="c"d="e"} 1\n')).not.toEqual([])
})
