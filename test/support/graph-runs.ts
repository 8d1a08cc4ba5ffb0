/** Runs of graphs of a service in this process, whose worker is the test. */
import { expect } from 'vitest'
import { setup, type TestService } from './core.ts'

/** The largest seed, as no double holds it. */
export const SEED = '18446744073709551615'

/** A payload with that seed, as JSON. */
export const PAYLOAD = `{"3": {"class_type": "KSampler", "inputs": {"seed": ${SEED}, "cfg": 8.0}}}`

/** A document with that seed, as JSON. */
export const DOCUMENT = `{"nodes": [{"id": 3, "type": "KSampler", "widgets_values": [${SEED}]}], "links": [], "version": 0.4}`

/** A service with an endpoint that takes graphs. */
export async function withEndpoint(
  options?: Parameters<typeof setup>[0],
  workflows: object = {},
): Promise<TestService> {
  const service = await setup(options)
  await service.createEndpoint('e', { workflows })
  return service
}

/** Starts a run, and gives its record. */
export const start = (service: TestService, more: object = {}) =>
  service.post('/api/workflow-runs', { endpointId: 'e', payload: PAYLOAD, document: DOCUMENT, title: 'Mine', ...more })

/** Lets the worker take the run's job and end it. */
export async function finish(service: TestService, runId: string, report: object | string): Promise<void> {
  const worker = await service.worker()
  const job = await worker.take()
  expect(job?.id).toBe(runId)
  await worker.done(runId, report)
}

/** The record of a run once it has ended. */
// biome-ignore lint/suspicious/noExplicitAny: tests compare what comes with what is expected, whatever its form
export const ended = (service: TestService, runId: string): Promise<any> =>
  service.clock.until(async () => {
    const run = await service.get(`/api/workflow-runs/${runId}`)
    return run.endedAt !== undefined && run
  })
