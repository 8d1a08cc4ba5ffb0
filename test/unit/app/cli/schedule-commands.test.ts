import { expect, test } from 'vitest'
import { NOW, setupCli } from './support.ts'

const SCHEDULE = {
  id: 's1',
  endpointId: 'hello',
  name: 'often',
  everyMs: 60_000,
  missed: 'skip',
  request: '{"input":{}}',
  paused: false,
  createdAt: NOW,
  upcoming: [NOW + 60_000, NOW + 120_000],
  runs: [],
}
const setup = () =>
  setupCli({
    'POST /api/endpoints/hello/schedules': SCHEDULE,
    'GET /api/schedules': { schedules: [SCHEDULE] },
  })

test.each([
  ['1m', 60_000],
  ['1min', 60_000],
  ['30s', 30_000],
  ['2h', 7_200_000],
  ['1h 30m', 5_400_000],
])('schedule add takes the interval %s', async (every, everyMs) => {
  const { run, service } = await setup()
  expect((await run(['schedule', 'add', 'hello', 'often', '--every', every])).exitCode).toBe(0)
  expect(service.seen.at(-1)?.body).toMatchObject({ everyMs })
})

test('schedule add refuses an interval that is no duration, and says which are', async () => {
  const { run } = await setup()
  const { exitCode, stderr } = await run(['schedule', 'add', 'hello', 'often', '--every', 'soon'])
  expect(exitCode).toBe(2)
  expect(stderr).toContain('It must be a duration, like 500ms, 30s, 15min or 2h.')
})

test('schedule add needs either a cron pattern or an interval', async () => {
  const { run } = await setup()
  for (const times of [[], ['--every', '1h', '--cron', '@daily']])
    expect(await run(['schedule', 'add', 'hello', 'often', ...times])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('either --cron or --every'),
    })
})

test('times of a schedule are printed as pages show them, and its interval exactly', async () => {
  const { run } = await setup()
  const { stdout } = await run(['schedule', 'show', 'hello', 'often'])
  expect(stdout).toContain('often of hello: every 1 min')
  expect(stdout).toMatch(/next: (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(, |\n)){2}/)
})
