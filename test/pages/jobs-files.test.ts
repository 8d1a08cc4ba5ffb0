import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { startedService, until } from '../support/served-service.ts'
import { cutOf, download, NARROW, setup, WIDE } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

/** Presses a button that saves a file. @returns the jobs of its lines */
async function exported(button: Locator) {
  const { name, bytes } = await download(button.page(), () => button.click())
  const lines = bytes.toString().trimEnd().split('\n')
  return { name, jobs: lines.map((line) => JSON.parse(line)) }
}

test('jobs are exported from the list, all or the selected ones, and imported again as new ones', async () => {
  const { page, service, open, shoot, faults, told } = await setup()
  await service.createEndpoint('held')
  await service.post('/api/endpoints/held/pause')
  const ids: string[] = []
  for (let n = 0; n < 3; n++) ids.push(await service.run('held', { n }))
  await open('/jobs?endpoint=held')
  await page.getByRole('row', { name: ids[2] ?? '' }).waitFor()
  const all = await exported(page.getByRole('button', { name: 'Export' }))
  expect(all.name).toBe('jobs.jsonl')
  expect(all.jobs).toMatchObject(ids.map((id, n) => ({ id, endpointId: 'held', input: { n } })))

  await page
    .getByRole('row', { name: ids[1] ?? '' })
    .locator('[data-select]')
    .click()
  await shoot('jobs-export')
  const selected = page.getByRole('toolbar', { name: 'Selected jobs' }).getByRole('button', { name: 'Export' })
  expect((await exported(selected)).jobs).toMatchObject([{ id: ids[1] }])

  await page.getByRole('button', { name: 'Clear selection' }).click()
  const file = join(service.folder, 'inputs.jsonl')
  writeFileSync(file, `${all.jobs.map((job) => JSON.stringify(job)).join('\n')}\nno request\n`)
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Import' }).click()
  await (await choosing).setFiles(file)
  await told('3 jobs of inputs.jsonl queued on held.')
  await told('1 line of inputs.jsonl could not be queued. line 4: ')
  await shoot('jobs-import')
  const { requests } = await service.get('/api/jobs')
  expect(requests).toHaveLength(6)
  const inputs = await Promise.all(
    requests.map(async ({ id }: { id: string }) => (await service.get(`/api/jobs/${id}`)).input),
  )
  expect(inputs).toEqual([2, 1, 0, 2, 1, 0].map((n) => ({ n })))
  expect(faults).toEqual([])
})

test('an expired job says so, and runs again as a new job', async () => {
  const { page, service, open, shoot, expectAccessible, faults, told } = await setup({}, {}, async (options) => {
    const fresh = await startedService(options)
    await fresh.createHandler('greet', 'def handler(job):\n    return {"hello": job["input"]["name"]}\n')
    await fresh.jobEnd('greet', await fresh.run('greet', { name: 'Ada' }))
    await fresh.stop()
    fresh.changeDatabase('UPDATE jobs SET deadline_at = queued_at')
    await fresh.start(options)
    await until(async () => expect((await fresh.get('/api/job-count?expired=true')).count).toBe(1))
    return fresh
  })
  const [{ id: old }] = (await service.get('/api/jobs')).requests
  expect(await service.ask('GET', `/v2/greet/status/${old}`)).toMatchObject({ status: 404 })
  await open(`/jobs/${old}`)
  await page.getByText('Expired').first().waitFor()
  expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0)
  await expectAccessible()
  await shoot('job-expired')
  await page.getByRole('button', { name: 'Run again' }).click()
  await told('It runs again as this new job.')
  const [{ id: made }] = (await service.get('/api/jobs')).requests
  expect(made).not.toBe(old)
  await page.waitForURL(`**/jobs/${made}`)
  expect(await service.jobEnd('greet', made)).toMatchObject({ status: 'COMPLETED', output: { hello: 'Ada' } })
  await page.getByText('hello:').waitFor()
  await shoot('job-run-again')
  const lists = [
    ['/jobs', 'Jobs'],
    ['/endpoints/greet', 'Latest jobs'],
    ['/endpoints/greet/requests', 'History of requests'],
  ] as const
  for (const [path, name] of lists) {
    await open(path)
    const list = page.getByRole('grid', { name })
    for (const viewport of [WIDE, NARROW]) {
      await page.setViewportSize(viewport)
      await list.getByText('Expired').first().waitFor()
      await until(async () => expect(await cutOf(list), `${name} at ${viewport.width}`).toBe(0))
    }
  }
  expect(faults).toEqual([])
})
