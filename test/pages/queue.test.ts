import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { until } from '../support/served-service.ts'
import { NARROW, setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

test('waiting jobs are moved by drag, keys, buttons and priority', async () => {
  const { service, page, open, expectAccessible, shoot, faults } = await setup()
  await service.createEndpoint('work', { workersMax: 1 })
  await open('/endpoints/work/queue')
  await page.getByText('No job waits.').waitFor()
  await expectAccessible()

  const first = await service.run('work', { gates: [service.gate('held')] })
  await until(async () => expect((await service.get(`/api/jobs/${first}`)).status).toBe('IN_PROGRESS'))
  const ids: string[] = []
  for (let n = 0; n < 4; n++) ids.push(await service.run('work', {}))
  const [a = '', b = '', c = '', d = ''] = ids
  const list = page.getByRole('list', { name: 'Waiting jobs' })
  const row = (id: string) => list.getByRole('listitem').filter({ hasText: id })
  const orderIs = async (...wanted: readonly string[]) => {
    await until(async () => {
      const { jobs } = await service.get('/api/endpoints/work/queue')
      expect(jobs.map(({ id }: { id: string }) => id)).toEqual(wanted)
    })
    await until(async () => expect(await list.getByRole('link').allTextContents()).toEqual(wanted))
  }
  await orderIs(a, b, c, d)
  await expectAccessible()
  await shoot('queue')

  await row(d).dragTo(row(b))
  await orderIs(a, d, b, c)
  await row(a).getByRole('link').press('Alt+ArrowDown')
  await orderIs(d, a, b, c)
  await row(d).getByRole('link').press('Alt+End')
  await orderIs(a, b, c, d)
  await page.getByRole('button', { name: `Move job ${c} to the front` }).click()
  await orderIs(c, a, b, d)
  await page.getByLabel(`Priority of job ${d}`).fill('5')
  await page.getByLabel(`Priority of job ${d}`).press('Enter')
  await orderIs(d, c, a, b)
  await page.getByRole('status').getByText('The job now has priority 5.').waitFor({ state: 'attached' })
  await page.setViewportSize(NARROW)
  await expectAccessible()
  await shoot('queue-narrow')

  service.openGate('held')
  await page.getByText('No job waits.').waitFor()
  const claimedAt = async (id: string): Promise<number> => {
    await service.jobEnd('work', id)
    const { history } = await service.get(`/api/jobs/${id}`)
    return history.find(({ event }: { event: string }) => event === 'claim').at
  }
  const starts = await Promise.all([d, c, a, b].map(claimedAt))
  expect(starts).toEqual(starts.toSorted((one, other) => one - other))
  expect(faults).toEqual([])
})
