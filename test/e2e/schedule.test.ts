import { expect, test } from 'vitest'
import { sharedService } from '../support/shared-in-file.ts'

const shared = sharedService()

test('drydock schedule adds, shows, runs, pauses and removes a schedule, whose jobs run like any others', async () => {
  const service = await shared()
  await service.createEndpoint('work')
  const schedule = async (...words: string[]) => JSON.parse((await service.command('schedule', ...words)).stdout)
  const added = await schedule('add', 'work', 'often', '{"n": 1}', '--every', '1s')
  expect(added).toMatchObject({ endpointId: 'work', name: 'often', everyMs: 1000, request: '{"input":{"n":1}}' })
  const queued = () =>
    schedule('show', 'work', 'often').then(({ runs }) => runs.map((run: { jobId: string }) => run.jobId))
  await expect.poll(queued).not.toEqual([])
  await service.jobEnd('work', (await queued()).at(-1))
  expect((await schedule('list')).schedules).toEqual([expect.objectContaining({ name: 'often', missed: 'skip' })])
  expect(await schedule('pause', 'work', 'often')).toMatchObject({ paused: true, upcoming: [] })
  await service.jobEnd('work', (await schedule('run', 'work', 'often')).jobId)
  expect(await schedule('resume', 'work', 'often')).toMatchObject({ paused: false, nextAt: expect.any(Number) })
  expect(await schedule('remove', 'work', 'often', '--yes')).toEqual({ ok: true })
  expect(await schedule('list', 'work')).toEqual({ schedules: [] })
})

test('drydock schedule says what it refuses', async () => {
  const service = await shared()
  await service.createEndpoint('refuses')
  const refused = async (...words: string[]) => (await service.command('schedule', ...words)).stderr
  expect(await refused('add', 'refuses', 'x')).toMatch(/either --cron or --every/)
  expect(await refused('add', 'refuses', 'x', '--cron', 'now')).toMatch(/cron.*cannot be read/)
  expect(await refused('add', 'refuses', 'x', '--every', '1 year')).toMatch(/must be a duration/)
  expect(await refused('show', 'refuses', 'x')).toMatch(/has no schedule x/)
})
