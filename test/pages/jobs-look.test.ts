import type { Locator } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import type { ServedService } from '../support/served-service.ts'
import { NARROW, type Pages, setupShared, WIDE } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

const HANDLER = `
import os, time
from svc_worker import progress

def handler(job):
    wants = job["input"]
    if wants.get("bad"):
        raise ValueError("the picture has no face in it, and this is a message that is longer than a row has room for")
    if "gate" in wants:
        progress({"step": 3, "of": 20})
        while not os.path.exists(wants["gate"]):
            time.sleep(0.01)
    if "size" in wants:
        return {"rows": [{"n": n, "word": "a word " * 6} for n in range(wants["size"])]}
    return {"seed": wants.get("seed", 1), "message": "done", "steps": [1, 2, 3]}
`
const STREAMING = `
def handler(job):
    print("it begins", flush=True)
    for n in range(300):
        yield {"n": n, "word": "a word that comes"}
`
// A text that shows that a tab has its content.
const TAB_SAYS: Readonly<Record<string, string>> = {
  logs: 'it begins',
  stream: '300 of 300',
  webhooks: '/hook',
  attempts: 'Completed',
}
const LONG_NAME = 'a-name-longer-than-a-narrow-window-has'
// A narrow window next to an editor.
const SMALL = { width: 800, height: 700 } as const
const SIZES = [
  ['wide', WIDE],
  ['narrow', NARROW],
  ['small', SMALL],
] as const
// The short duration that takes the most room.
const LONGEST = '9.9 min'

/** The px that the cells of a row lack for a duration. */
function pxWithoutRoom(row: Element, duration: string): number {
  const cells = [...row.querySelectorAll('td')].filter(
    ({ textContent }) => / ms$/.test(textContent) || textContent === duration,
  )
  for (const { firstElementChild } of cells) firstElementChild?.replaceChildren(duration)
  return cells.length === 0 ? Number.NaN : Math.max(...cells.map((cell) => cell.scrollWidth - cell.clientWidth))
}

const topOf = async (one: Locator) => (await one.boundingBox())?.y

/** Makes a job of each kind, one of which runs on. */
async function jobsOf(service: ServedService) {
  await service.createHandler('faces', HANDLER, { workersMax: 1 })
  const done = await service.run('faces', { seed: 4, prompt: 'a harbour in the evening' })
  const bad = await service.run('faces', { bad: true })
  const large = await service.run('faces', { size: 20_000 })
  for (const id of [done, bad, large]) await service.jobEnd('faces', id)
  const running = await service.run('faces', { gate: service.gate('end'), seed: 9, prompt: 'a harbour at noon' })
  return { done, bad, large, running }
}

/** Looks at the same page in windows of each size. */
async function atEachSize({ page, shoot }: Pages, what: string, look: (name: string) => Promise<void>) {
  for (const [name, size] of SIZES) {
    await page.setViewportSize(size)
    await look(name)
    await shoot(`${what}-${name}`)
  }
}

describe('in light and dark colours there is no serious accessibility violation', () => {
  test('in the list of jobs, at each width', async () => {
    const pages = await setupShared()
    const { service, page, open, expectAccessible, shoot, faults } = pages
    await open('/jobs')
    await page.getByText('There are no jobs yet').waitFor()
    await shoot('jobs-none')
    await service.createEndpoint(LONG_NAME)
    await service.post(`/api/endpoints/${LONG_NAME}/pause`)
    for (let n = 0; n < 60; n++) await service.run(LONG_NAME, { n })
    const { done, bad, running } = await jobsOf(service)
    await open('/jobs')
    await page.getByRole('row', { name: running }).getByText('Running').waitFor()
    expect(await topOf(page.getByRole('button', { name: 'Views' }))).toBe(await topOf(page.getByRole('searchbox')))
    await atEachSize(pages, 'jobs', async () => {
      await expectAccessible()
      expect(await page.getByRole('row', { name: done }).evaluate(pxWithoutRoom, LONGEST)).toBe(0)
    })
    await page.getByRole('row', { name: bad }).click({ modifiers: ['ControlOrMeta'] })
    await page.getByRole('row', { name: running }).click({ modifiers: ['ControlOrMeta'] })
    await page.getByText('2 jobs selected').waitFor()
    await atEachSize(pages, 'jobs-selected', expectAccessible)
    expect(faults).toEqual([])
  })

  test('on the pages of jobs, and in a comparison at each width', async () => {
    const pages = await setupShared()
    const { service, page, open, expectAccessible, faults } = pages
    const jobs = await jobsOf(service)
    for (const [what, id] of Object.entries(jobs)) {
      await open(`/jobs/${id}`)
      await atEachSize(pages, `job-${what}`, async (name) => {
        await page.getByRole('list', { name: 'Job events' }).waitFor()
        await page.getByText('Input').first().waitFor()
        if (name === 'wide') await expectAccessible()
      })
    }
    await open(`/jobs/compare?a=${jobs.done}&b=${jobs.bad}`)
    await page.getByRole('table', { name: 'Facts' }).waitFor()
    await atEachSize(pages, 'jobs-compared', expectAccessible)
    expect(faults).toEqual([])
  })

  test('on the tabs of a job in a small window', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setupShared({ viewport: SMALL })
    await service.createHandler('streams', STREAMING, { workersMax: 1 })
    const webhook = `${service.url()}/hook`
    const { id } = await service.post('/v2/streams/run', { input: {}, webhook })
    await service.jobEnd('streams', id)
    for (const [tab, says] of Object.entries(TAB_SAYS)) {
      await open(`/jobs/${id}?tab=${tab}`)
      await page.getByText(says).first().waitFor()
      await expectAccessible()
      await shoot(`job-${tab}-small`)
    }
    expect(faults).toEqual([])
    await service.kill()
    await page.getByText('The service does not answer').waitFor()
    await shoot('jobs-down')
  })
})
