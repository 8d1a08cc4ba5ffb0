import { createServer } from 'node:http'
import { deflateSync } from 'node:zlib'
import type { Locator } from 'playwright-core'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { choose, NARROW, setupShared, WIDE } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

/** A handler that a test leads by files: progress, then a stream, then what `then` says. */
const LED = `
import os, time
from svc_worker import progress

def wait(job, name):
    while not os.path.exists(job["input"]["gate"] + name):
        time.sleep(0.005)

def handler(job):
    wants = job["input"]
    print("loading the model", flush=True)
    progress({"step": 1, "of": 2})
    wait(job, "-end")
    if wants.get("bad"):
        raise ValueError("the picture has no face in it")
    return wants.get("output", {"seed": wants.get("seed", 0), "steps": [1, 2]})
`

const STREAMING = `
import os, time

def handler(job):
    for n in range(3):
        yield f"word{n} "
    while not os.path.exists(job["input"]["gate"] + "-end"):
        time.sleep(0.005)
    yield "last"
`

/** A picture of one colour, as image workers give it: base64 of a PNG. */
function picture(red: number): string {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.from([0, 0, 0, 8, 0, 0, 0, 8, 8, 2, 0, 0, 0])
  const row = Buffer.from([0, ...Array.from({ length: 8 }, () => [red, 80, 120]).flat()])
  const data = deflateSync(Buffer.concat(Array.from({ length: 8 }, () => row)))
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  const parts = [signature, chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat(parts).toString('base64')
}

function crc(bytes: Buffer): number {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  }
  return (sum ^ 0xffffffff) >>> 0
}

/** An endpoint whose jobs the test leads, and one of its jobs. */
async function ledJob(service: ServedService, input: object = {}, code: string = LED): Promise<string> {
  await service.createHandler('led', code, { workersMax: 1 })
  return service.run('led', { gate: service.gate('led'), ...input })
}

describe('a job', () => {
  test('is followed through its life: why it waits, where it runs, its progress, its output', async () => {
    const { service, page, open, expectAccessible, faults } = await setupShared()
    await service.createHandler('led', LED, { workersMax: 1 })
    await service.post('/api/endpoints/led/pause')
    const id = await service.run('led', { gate: service.gate('led'), seed: 7 })
    await open(`/jobs/${id}`)
    const banner = page.getByRole('banner')
    await banner.getByText('Queued').waitFor()
    await page.getByText('The endpoint is paused. Resume it to continue.').waitFor()
    await expectAccessible()
    await page.getByRole('button', { name: 'Resume led' }).click()
    await banner.getByText('Running').waitFor()
    await page.getByRole('region', { name: 'Latest progress' }).getByText('step:').waitFor()
    await page.getByRole('list', { name: 'Job events' }).getByText('Progress').waitFor()
    const { workerId } = await service.get(`/api/jobs/${id}`)
    await banner.getByRole('link', { name: workerId }).waitFor()
    service.openGate('led-end')
    await banner.getByText('Completed').waitFor()
    await page.getByRole('region', { name: 'Output' }).getByText('seed:').waitFor()
    const steps = await page.getByRole('list', { name: 'Job events' }).getByRole('listitem').allTextContents()
    expect(steps.map((step) => step.replace(/after.*|at once.*/, ''))).toEqual([
      'Queued',
      'Taken by a worker',
      'Progress',
      'Completed',
    ])
    await expectAccessible()
    expect(faults).toEqual([])
  })

  test('that has failed says why, and is retried', async () => {
    const { service, page, open, expectAccessible, shoot, told } = await setupShared()
    const id = await ledJob(service, { bad: true })
    service.openGate('led-end')
    await service.jobEnd('led', id)
    await open(`/jobs/${id}`)
    const alert = page.getByRole('alert')
    await alert.getByText('ValueError: the picture has no face in it').waitFor()
    const calls = alert.getByRole('list', { name: 'Traceback' }).getByRole('listitem')
    await calls
      .filter({ hasText: 'your code' })
      .getByRole('button', { name: /^Copy .*\.py:15$/ })
      .waitFor()
    const said = (await page.getByRole('main').textContent())?.split('ValueError: the picture has no face in it')
    expect(said).toHaveLength(2)
    await expectAccessible()
    await shoot('job-failed')
    await page.goto(`${service.url()}/settings`)
    await choose(page.getByLabel('Editor'), 'VS Code')
    await page.goBack()
    const { handler } = await service.get('/api/endpoints/led')
    const link = calls.getByRole('link', { name: /^Open .*\.py:15$/ })
    await until(async () => expect(await link.getAttribute('href')).toBe(`vscode://file${handler}:15`))
    await page.keyboard.press('r')
    await told('The job is queued again')
    await page.getByRole('list', { name: 'Job events' }).getByText('Retried, queued again').waitFor()
    await page.getByRole('link', { name: /^Tries/ }).click()
    await until(async () => expect(await page.getByRole('row', { name: /no face|Failed/ }).count()).toBe(2))
  })

  test('says before it is cancelled how many other jobs of its worker start again', async () => {
    const { service, page, open, expectAccessible, shoot } = await setupShared()
    await service.createEndpoint('pair', { workersMax: 1, concurrency: 2 })
    const gates = [service.gate('never')]
    const [one, other] = [await service.run('pair', { gates }), await service.run('pair', { gates })]
    const isRunning = async (id: string) => expect((await service.get(`/api/jobs/${id}`)).otherJobs).toBe(1)
    for (const id of [one, other]) await until(() => isRunning(id))
    const warning = page.getByRole('alertdialog').getByText('This worker also runs 1 other job.')
    await open(`/jobs/${one}`)
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await warning.waitFor()
    await expectAccessible()
    await shoot('job-cancel-shared')
  })

  test('has its actions on the line of its name, and lists cut neither spans nor, where wide, workers', async () => {
    const { service, page, open, shoot } = await setupShared()
    await service.createHandler('broken', 'def handler(job):\n    raise ValueError("no face")\n')
    const id = await service.run('broken', {})
    await service.jobEnd('broken', id)
    const middleOf = (place: Locator) => place.evaluate((one) => one.getBoundingClientRect().y + one.clientHeight / 2)
    for (const size of [WIDE, NARROW]) {
      await page.setViewportSize(size)
      await open(`/jobs/${id}`)
      const action = page.getByRole('button', { name: 'Duplicate and edit' })
      await action.waitFor()
      await shoot(`job-failed-${size.width}`)
      expect(
        Math.abs((await middleOf(page.getByRole('heading', { level: 1 }))) - (await middleOf(action))),
      ).toBeLessThan(8)
    }
    await page.route('**/api/jobs?*', async (route) => {
      const list = await (await route.fetch()).json()
      const spans = { delayTime: 594_000, executionTime: 999 }
      await route.fulfill({ json: { ...list, requests: list.requests.map((one: object) => ({ ...one, ...spans })) } })
    })
    for (const [size, columns] of [
      [WIDE, [8, 9, 11]],
      [NARROW, [8, 9]],
    ] as const) {
      await page.setViewportSize(size)
      await open('/jobs')
      await page.getByText('9.9 min').waitFor()
      await shoot(`jobs-spans-${size.width}`)
      for (const column of columns) {
        const cell = page.locator(`tbody tr:first-child td:nth-child(${column})`)
        expect([column, await cell.evaluate((one) => one.scrollWidth - one.clientWidth)]).toEqual([column, 0])
      }
    }
  })

  test('is cancelled after a question, and says so at once', async () => {
    const { service, page, open } = await setupShared()
    const id = await ledJob(service)
    await open(`/jobs/${id}`)
    await page.getByRole('banner').getByText('Running').waitFor()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('button', { name: 'Cancel job' }).click()
    await page.getByRole('banner').getByText('Cancelled').waitFor()
    await until(async () => expect((await service.get(`/api/jobs/${id}`)).status).toBe('CANCELLED'))
    await page.getByText('It was cancelled; no output is stored.').waitFor()
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0)
  })

  test('leads to its input, to be changed and sent again', async () => {
    const { service, page, open } = await setupShared()
    const id = await ledJob(service)
    await open(`/jobs/${id}`)
    await page.getByRole('button', { name: 'Duplicate and edit' }).click()
    await page.waitForURL(`**/endpoints/led/requests?from=${id}`)
  })

  test('shows what it has printed', async () => {
    const { service, page, open } = await setupShared()
    const id = await ledJob(service)
    await open(`/jobs/${id}?tab=logs`)
    await page.getByRole('log').getByText('loading the model').waitFor()
  })

  test('shows its stream as it comes, and replays it from any place', async () => {
    const { service, page, open, expectAccessible } = await setupShared()
    const id = await ledJob(service, {}, STREAMING)
    await open(`/jobs/${id}?tab=stream`)
    const stream = page.getByRole('region', { name: 'Stream' })
    await stream.getByText('word0 word1 word2', { exact: false }).waitFor()
    // The view keeps its position when the job ends.
    await page.getByRole('slider', { name: 'Position in the stream' }).focus()
    service.openGate('led-end')
    await stream.getByText('word0 word1 word2 last').waitFor()
    await page.getByRole('banner').getByText('Completed').waitFor()
    await expectAccessible()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await page.getByText('1 of 4').waitFor()
    expect((await stream.textContent())?.trim()).toBe('word0')
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('4 of 4').waitFor()
    await page.getByRole('button', { name: 'Replay' }).waitFor()
  })

  test('shows how its webhook went, and sends it again when asked', async () => {
    const { service, page, open, told } = await setupShared()
    let answers = 0
    const receiver = createServer((_request, response) => {
      answers += 1
      response.end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void receiver.close())
    const address = receiver.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    await service.ask('PATCH', '/api/settings', { webhooksToPrivateAddresses: true })
    await service.createHandler('led', LED, { workersMax: 1 })
    service.openGate('led-end')
    const body = { input: { gate: service.gate('led') }, webhook: `http://127.0.0.1:${port}/hook` }
    const { id } = await service.post('/v2/led/run', body)
    await service.jobEnd('led', id)
    await open(`/jobs/${id}?tab=webhooks`)
    const row = page.getByRole('row', { name: /hook/ })
    await row.getByText('Delivered').waitFor()
    expect(answers).toBe(1)
    await row.getByRole('button', { name: 'Resend' }).click()
    await told(/is being sent to/)
    await until(() => expect(answers).toBe(2))
    await row.getByText('Delivered').waitFor()
  })

  test('shows pictures as image workers give them, tables, and the same as text', async () => {
    const { service, page, open, faults } = await setupShared()
    const rows = [
      { city: 'Oslo', count: 3 },
      { city: 'Rome', count: 5 },
    ]
    const output = { images: [{ filename: 'a.png', type: 'base64', data: picture(200) }], rows }
    const id = await ledJob(service, { output })
    service.openGate('led-end')
    await service.jobEnd('led', id)
    await open(`/jobs/${id}`)
    const shown = page.locator('section', { has: page.getByRole('heading', { name: 'Output' }) })
    const image = shown.getByRole('img', { name: 'images[0].data' }).first()
    await image.waitFor()
    await until(async () =>
      expect(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(8),
    )
    await shown.getByRole('grid', { name: 'rows' }).getByText('Oslo').waitFor()
    await shown.getByText('Raw').click()
    await shown.getByText('"city": "Rome"').waitFor()
    expect(faults).toEqual([])
  })

  test('that does not exist shows a message', async () => {
    const { page, open } = await setupShared()
    await open('/jobs/nobody')
    await page.getByText('There is no job nobody').waitFor()
  })
})

describe('two jobs', () => {
  test('are compared: facts, inputs and outputs, pictures side by side', async () => {
    const { service, page, open, expectAccessible, faults } = await setupShared()
    const images = (red: number) => ({ images: [{ data: picture(red) }], seed: red })
    const a = await ledJob(service, { seed: 1, output: images(10) })
    service.openGate('led-end')
    await service.jobEnd('led', a)
    const b = await service.run('led', { gate: service.gate('led'), seed: 2, extra: true, output: images(240) })
    await service.jobEnd('led', b)
    await open(`/jobs/${a}`)
    await page.getByRole('button', { name: 'More for this job' }).click()
    await page.getByRole('menuitem', { name: 'Compare' }).click()
    await page.getByRole('row', { name: b }).click()
    await page.waitForURL(`**/jobs/compare?a=${a}&b=${b}`)
    const inputs = page.getByRole('table', { name: 'Differences of the inputs' })
    await inputs
      .getByRole('row', { name: /seed.*1.*2/ })
      .first()
      .waitFor()
    await inputs.getByRole('row', { name: /only in b.*extra/ }).waitFor()
    await page
      .getByRole('table', { name: 'Differences of the outputs' })
      .getByRole('row', { name: /seed.*10.*240/ })
      .waitFor()
    await until(async () => expect(await page.getByRole('img', { name: 'images[0].data' }).count()).toBe(2))
    await expectAccessible()
    await page.getByRole('button', { name: 'Swap' }).click()
    await page.waitForURL(`**/jobs/compare?a=${b}&b=${a}`)
    expect(faults).toEqual([])
  })
})
