import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { createPainter, payloadText } from '../support/painter.ts'
import { type ServedService, until } from '../support/served-service.ts'
import { download, NARROW, setup } from './support.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

// The largest that a seed may be; as a double it would be another number.
const SEED = '18446744073709551615'

/** Runs a graph on the painter, and waits for what it gives. */
async function painted(service: ServedService, settings: Parameters<typeof payloadText>[0] = {}, more: object = {}) {
  const body = { endpointId: 'painter', payload: payloadText(settings), title: 'Harbour', ...more }
  const { id } = await service.post('/api/workflow-runs', body)
  return until(async () => {
    const run = await service.get(`/api/workflow-runs/${id}`)
    expect(run.endedAt).toBeDefined()
    return run
  })
}

describe('the gallery', () => {
  test('with no run says how the first is made; with runs it finds them by words, and they lead to their settings', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setup()
    await open('/workflows/gallery')
    await page.getByText('No graphs have been run yet.').waitFor()
    await expectAccessible()
    await shoot('gallery-empty')

    await createPainter(service)
    const first = await painted(service, { text: 'a harbour at dusk', seed: SEED })
    await painted(service, { text: 'a forest in the rain', seed: '7' }, { title: 'Forest' })
    await painted(service, { fails: true }, { title: 'Broken' })
    const wall = page.getByRole('region', { name: 'Runs' })
    // They have come while the page was open.
    await wall.getByRole('link', { name: /Broken/ }).waitFor()
    await wall.getByText(/no such checkpoint/).waitFor()
    await until(async () => expect(await wall.getByRole('link').count()).toBe(3))
    await expectAccessible()
    await shoot('gallery-few')
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectAccessible()
    await shoot('gallery-few-dark')
    await page.emulateMedia({ colorScheme: 'light' })

    await page.keyboard.press('/')
    await page.keyboard.type('dusk')
    // The first letters find as many.
    await page.waitForURL(/q=dusk/)
    await until(async () => expect(await wall.getByRole('link').count()).toBe(1))
    await wall.getByRole('link', { name: /Harbour/ }).click()
    await page.waitForURL(`**/workflows/gallery/${first.id}`)
    await page.getByRole('img', { name: /of run/ }).waitFor()
    await page.getByText(SEED).waitFor()
    await page.getByText('a harbour at dusk').waitFor()
    await expectAccessible()
    await shoot('gallery-run')

    await page.getByRole('button', { name: 'Open graph' }).click()
    await page.waitForURL('**/workflows/edit/*')
    const { workflows } = await service.get('/api/workflows')
    const { text } = await service.get(`/api/workflows/${workflows[0].id}`)
    expect(text).toContain(SEED)
    expect(faults).toEqual([])
  })

  test('a run and a workflow are exported to files that the library opens, with the exact seed', async () => {
    const { service, page, open, shoot, faults } = await setup()
    await createPainter(service)
    const run = await painted(service, { text: 'a harbour at dusk', seed: SEED })
    const saved = async (menu: string, name: string) => {
      const { bytes } = await download(page, async () => {
        await page.getByRole('button', { name: menu }).click()
        await page.getByRole('menuitem', { name: /^Export/ }).click()
      })
      const path = join(service.folder, name)
      writeFileSync(path, bytes)
      return path
    }
    const opened = async (path: string) => {
      await open('/workflows')
      const choosing = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Open file' }).click()
      await (await choosing).setFiles(path)
      await page.waitForURL('**/workflows/edit/*')
      const id = page.url().split('/').at(-1)
      return await service.get(`/api/workflows/${id}`)
    }
    await open(`/workflows/gallery/${run.id}`)
    const file = await saved('More actions', 'run.graph.jsonl')
    const fromRun = await opened(file)
    expect(fromRun.text).toContain(SEED)
    await shoot('gallery-run-opened')
    await page.getByRole('button', { name: 'Run it as it was' }).click()
    await page.waitForURL('**/workflows/gallery/*')
    const replayed = await service.get(`/api/workflow-runs/${page.url().split('/').at(-1)}`)
    expect(replayed).toMatchObject({ title: 'Harbour', payload: run.payload })
    expect(replayed.id).not.toBe(run.id)
    const results = join(service.folder, 'made')
    const byCommand = await service.command('workflow', 'run', file, '--endpoint', 'painter', '-o', results)
    expect(byCommand).toMatchObject({ exitCode: 0 })
    const { id, results: made } = JSON.parse(byCommand.stdout)
    expect(made).toHaveLength(1)
    expect((await service.get(`/api/workflow-runs/${id}`)).payload).toBe(run.payload)
    const set = await service.command('workflow', 'run', file, '--endpoint', 'painter', '--set', '3.seed=1')
    expect(set.stderr).toContain('An exported run is run as it was sent')
    await open('/workflows')
    const again = await opened(await saved(`More for ${fromRun.name}`, 'workflow.graph.jsonl'))
    expect(again.id).not.toBe(fromRun.id)
    expect(JSON.parse(again.text)).toEqual(JSON.parse(fromRun.text))
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'File' }).click()
    await page.getByRole('menuitem', { name: 'Open file' }).click()
    await (await choosing).setFiles(file)
    await page.getByRole('button', { name: 'Run it as it was' }).click()
    await page.waitForURL('**/workflows/gallery/*')
    expect((await service.get(`/api/workflow-runs/${page.url().split('/').at(-1)}`)).payload).toBe(run.payload)

    // A run by command has no workflow yet; it is saved once.
    const count = async () => (await service.get('/api/workflows')).workflows.length
    const before = await count()
    await open(`/workflows/gallery/${id}`)
    await page.getByRole('button', { name: 'Save to library' }).click()
    await page.getByRole('button', { name: 'Open in library' }).waitFor()
    expect(await count()).toBe(before + 1)
    await shoot('gallery-run-saved')
    expect(faults).toEqual([])
  })

  test('two runs are compared with a handle between them, side by side, and by their settings', async () => {
    const { service, page, open, expectAccessible, shoot } = await setup({ viewport: NARROW })
    await createPainter(service)
    const one = await painted(service, { seed: '1' })
    const other = await painted(service, { seed: '2' })
    await open(`/workflows/gallery/${one.id}`)
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('Choose the run to compare with.').waitFor()
    await page.getByRole('region', { name: 'Runs' }).getByRole('link').first().click()
    await page.waitForURL(`**/compare?a=${one.id}&b=${other.id}`)
    const handle = page.getByRole('slider', { name: 'Share of A shown' })
    await handle.focus()
    await page.keyboard.press('Home')
    await until(async () => expect(await handle.inputValue()).toBe('0'))
    const differences = page.getByRole('table', { name: 'Settings that differ' })
    await differences.getByRole('row', { name: /Seed/ }).waitFor()
    expect(await differences.getByRole('row').count()).toBe(2)
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await expectAccessible()
    await shoot('gallery-compare')
    await page.getByRole('radio', { name: 'Side by side' }).click()
    await page.waitForURL('**view=side')
    await page.getByRole('img', { name: / of B$/ }).waitFor()
    await shoot('gallery-compare-side')

    await open(`/workflows/gallery/${one.id}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete run' }).click()
    await page.getByRole('button', { name: /Delete run/ }).click()
    await page.waitForURL('**/workflows/gallery')
    await until(async () => expect((await service.get('/api/workflow-runs')).runs).toHaveLength(1))
  })

  test('of ten thousand runs draws those in sight alone, and reads on as somebody scrolls', async () => {
    const { service, page, open, expectAccessible, shoot, faults } = await setup()
    await createPainter(service)
    const run = await painted(service)
    const port = Number(new URL(service.url()).port)
    await service.stop()
    service.changeDatabase(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
       INSERT INTO workflow_runs (id, endpoint_id, title, status, created_at, ended_at, execution_ms, results, errors, files, words)
       SELECT 'many' || i, 'painter', 'A title that is far too long to be shown whole, number ' || i, status, created_at,
         ended_at, 1000, results, errors, files, words
       FROM n, workflow_runs WHERE workflow_runs.id = ? ORDER BY i`,
      run.id,
    )
    await service.start({ port })
    await open('/workflows/gallery')
    const wall = page.getByRole('region', { name: 'Runs' })
    const cards = wall.getByRole('link')
    await wall.getByRole('link', { name: /number 9999$|number 9999 / }).waitFor()
    expect(await cards.count()).toBeLessThan(80)
    await expectAccessible()
    await shoot('gallery-many')
    await cards.first().focus()
    // Pieces of 60 are read, so the end is that far away each time.
    for (const last of [9940, 9880, 9820]) {
      await until(async () => {
        // The end moves while somebody is on the way to it.
        await page.keyboard.press('End')
        const names = await cards.allTextContents()
        expect(Math.min(...names.map((name) => Number(/number (\d+)/.exec(name)?.[1] ?? 1e9)))).toBeLessThanOrEqual(
          last,
        )
      })
    }
    expect(await cards.count()).toBeLessThan(80)
    await page.setViewportSize({ width: 800, height: 600 })
    await shoot('gallery-many-narrow')
    await service.stop()
    await page.getByText('The service does not answer').waitFor()
    await shoot('gallery-service-down')
    expect(faults.filter((fault) => !/ERR_CONNECTION|Failed to load/.test(fault))).toEqual([])
  })
})
