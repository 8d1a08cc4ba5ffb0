import { expect, test } from 'vitest'
import { startedService } from '../support/served-service.ts'

test('drydock schedule adds, shows, runs, pauses and removes a schedule, whose jobs run like any others', async () => {
  const service = await startedService()
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
