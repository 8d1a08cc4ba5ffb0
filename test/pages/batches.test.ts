import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { download, NARROW, setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

test('a file is submitted, followed, retried and forgotten', async () => {
  const { service, page, open, expectAccessible, shoot, faults, told } = await setup()
  const mended = join(service.folder, 'mended')
  const code = `
import os
def handler(job):
    if job["input"]["n"] == 2 and not os.path.exists(${JSON.stringify(mended)}):
        raise ValueError("two is too many")
    return job["input"]["n"]
`
  await service.createHandler('work', code)
  await open('/endpoints/work/requests?view=batches')
  await page.getByText('There are no batches of this endpoint yet').waitFor()
  await expectAccessible()
  await shoot('batches-nothing')

  const submit = async (name: string, text: string) => {
    writeFileSync(join(service.folder, name), text)
    await page.getByLabel('File of inputs').setInputFiles(join(service.folder, name))
    await page.getByRole('button', { name: 'Submit' }).click()
  }
  await submit('broken.jsonl', '{"n": 1}\nnonsense\n')
  await page.getByText('broken.jsonl: line 2: not valid JSON. Nothing was queued.').waitFor()
  await submit('numbers.csv', 'n\n1\n2\n3\n')
  await page.getByText('3 of 3 inputs ended').waitFor()
  await page.getByRole('list', { name: 'Failures' }).getByText('two is too many').waitFor()
  await page.getByRole('grid', { name: 'Batches' }).getByText('numbers.csv').waitFor()
  await page.getByRole('grid', { name: 'Batches' }).getByText('Ended with failures').waitFor()
  await expectAccessible()
  await shoot('batches')
  await page.setViewportSize(NARROW)
  await shoot('batches-narrow')

  writeFileSync(mended, '')
  await page.getByRole('button', { name: 'Retry failed' }).click()
  await told('1 job queued again.')
  await page.getByRole('button', { name: 'Retry failed' }).waitFor({ state: 'detached' })
  await page.getByRole('grid', { name: 'Batches' }).getByText('Ended', { exact: true }).last().waitFor()
  const saved = await download(page, () => page.getByRole('button', { name: 'Results' }).click())
  expect(saved.name).toBe('batch.jsonl')
  await page.getByRole('button', { name: 'More for numbers.csv' }).click()
  await page.getByRole('menuitem', { name: 'Forget numbers.csv' }).click()
  await page.getByText('There are no batches of this endpoint yet').waitFor()
  expect((await service.get('/api/job-count')).count).toBe(3)

  await service.post('/v2/work/batch', [{ input: { n: 5 } }])
  await page.getByRole('grid', { name: 'Batches' }).getByText('Draft', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Finalize' }).click()
  await told('1 job queued.')
  await page.getByText('1 of 1 input ended').waitFor()
  await page.getByRole('link', { name: 'Jobs of this batch' }).click()
  const states = page.getByRole('toolbar', { name: 'States' })
  await states.getByText('1', { exact: true }).waitFor()
  await page.getByLabel('Batch', { exact: true }).click()
  await page.getByRole('option', { name: 'All batches' }).click()
  await states.getByText('4', { exact: true }).waitFor()
  expect(faults).toEqual([])
})
