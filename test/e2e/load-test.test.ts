import { expect, test } from 'vitest'
import { until } from '../support/served-service.ts'
import { sharedService } from '../support/shared-in-file.ts'
import { createWeb } from '../support/web-client.ts'

const shared = sharedService()

test('drydock load-test measures an endpoint and prints the result', async () => {
  const service = await shared()
  await service.createEndpoint('gated', { workersMax: 1, concurrency: 4 })
  const { exitCode, stdout } = await service.command(
    'load-test',
    'gated',
    '{}',
    '--requests',
    '30',
    '--concurrency',
    '4',
  )
  expect(exitCode).toBe(0)
  const test = JSON.parse(stdout)
  expect(test).toMatchObject({
    state: 'completed',
    plan: { operation: 'runsync', requests: 30, concurrency: 4 },
    result: { done: 30, failed: 0, statuses: { 200: 30 }, latency: { count: 30 }, execution: { count: 30 } },
  })
  expect((await service.get('/api/endpoints/gated/load-tests')).loadTests).toEqual([test])
})

test('drydock load-test asks a load-balanced endpoint, and says what it refuses', async () => {
  const service = await shared()
  await createWeb(service)
  const request = ['--operation', 'request', '--requests', '5', '--path', '/echo']
  const sent = await service.command('load-test', 'web', '{"a": 1}', ...request, '--method', 'POST')
  expect(JSON.parse(sent.stdout)).toMatchObject({ result: { statuses: { 200: 5 } } })
  // Dots are for the worker to read, and lead nowhere else.
  const dotted = await service.command('load-test', 'web', ...request.slice(0, 4), '--path', '/echo/../../../api/info')
  expect(JSON.parse(dotted.stdout).result.done).toBe(5)
  await until(async () => {
    const { requests } = await service.get('/api/endpoints/web/requests')
    expect(requests[0].path).toBe('/echo/../../../api/info')
  })
  const refused = await service.command('load-test', 'web', '--requests', '0')
  expect(refused.exitCode).not.toBe(0)
  expect(refused.stderr + refused.stdout).toMatch(/requests: must be from 1/)
})
