import { expect, test } from 'vitest'
import { startedService } from '../support/served-service.ts'

test('drydock what-if compares settings, and writes the one that is chosen', async () => {
  const service = await startedService()
  await service.createEndpoint('gated', { workersMax: 1 })
  const load = ['--steady', '1', '--for', '1min', '--cold-start', '2s', '--execution', '900ms']
  const { stdout, exitCode } = await service.command(
    ...['what-if', 'gated', ...load, '--workers-max', '1,3', '--idle-timeout', '5s,30s', '--price', '0.0003'],
  )
  expect(exitCode).toBe(0)
  const { rows } = JSON.parse(stdout)
  // The present idle time is another one, so that its setting comes on top of the combinations.
  expect(rows).toHaveLength(5)
  expect(rows[0]).toMatchObject({ isPresent: true, setting: { workersMax: 1 }, cost: expect.any(Number) })
  const better = rows.findIndex((row: { setting: { workersMax: number } }) => row.setting.workersMax === 3)
  const used = await service.command(
    ...['what-if', 'gated', ...load, '--workers-max', '1,3', '--idle-timeout', '5s,30s', '--price', '0.0003'],
    ...['--use', String(better + 1)],
  )
  expect(used.exitCode).toBe(0)
  expect(await service.get('/api/endpoints/gated')).toMatchObject({ workersMax: 3 })
})
