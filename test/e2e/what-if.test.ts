import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sharedService } from '../support/shared-in-file.ts'

const shared = sharedService()

test('drydock what-if compares settings, and writes the one that is chosen', async () => {
  const service = await shared()
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

test('drydock what-if reads a trace and prices, and says what is wrong with them', async () => {
  const service = await shared()
  await service.createEndpoint('traced', { workersMax: 1 })
  const known = ['--cold-start', '2s', '--execution', '1s']
  writeFileSync(join(service.folder, 'trace.jsonl'), '{"at": 0}\n{"at": 5000, "executionMs": 10}\n')
  writeFileSync(join(service.folder, 'bad.jsonl'), '{"at": 0}\n{"at"\n')
  writeFileSync(join(service.folder, 'prices.json'), '[{"card": "mine", "perSecond": 0.001}')
  const good = await service.command('what-if', 'traced', '--trace', 'trace.jsonl', ...known)
  expect(JSON.parse(good.stdout).jobs).toBe(2)
  const bad = await service.command('what-if', 'traced', '--trace', 'bad.jsonl', ...known)
  expect(bad.stdout + bad.stderr).toMatch(/line 2 is not JSON/)
  const missing = await service.command('what-if', 'traced', '--trace', 'none.jsonl', ...known)
  expect(missing.stdout + missing.stderr).toMatch(/could not be read/)
  const prices = await service.command('what-if', 'traced', '--steady', '1', ...known, '--prices', 'prices.json')
  expect(prices.stdout + prices.stderr).toMatch(/prices could not be read/)
  const two = await service.command('what-if', 'traced', '--steady', '1', '--since', '2h', ...known)
  expect(two.stdout + two.stderr).toMatch(/one load/)
})
