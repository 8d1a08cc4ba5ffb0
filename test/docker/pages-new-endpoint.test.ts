/** The form for a new endpoint with a real engine. */
import { beforeAll, beforeEach, test } from 'vitest'
import { setup } from '../pages/support.ts'
import { setup as buildAll } from '../support/build-all.ts'
import { launchCalmChromium } from '../support/calm-chromium.ts'
import { noBrowser } from '../support/chromium.ts'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'
import { PATIENCE_MS } from '../support/patience.ts'

const engine = await dockerEngine()
const why = 'why' in engine ? engine.why : noBrowser
// The pages are built first where they are not of these sources, ms.
const BUILD_MS = 120_000

beforeAll(() => {
  if (why === undefined) buildAll()
}, BUILD_MS)

beforeEach(({ skip }) => skip(why !== undefined, why))

test('a new endpoint from an image shows the start of its first worker, and why it ended', async () => {
  const { service, page, visit } = await setup({}, {}, () => startedContainerService(engine), launchCalmChromium)
  await visit('/endpoints?new=image')
  const panel = page.getByRole('dialog', { name: 'New endpoint from an image' })
  await panel.getByLabel('Image').fill('busybox:latest')
  await panel.getByLabel('Name', { exact: true }).fill('ends')
  await panel.getByRole('button', { name: 'Create endpoint' }).click()
  // Its shell has nothing to read and ends at once.
  const first = panel.getByRole('status', { name: 'First worker' })
  await first.getByText('The first worker ended unexpectedly').waitFor({ timeout: PATIENCE_MS })
  await service.ask('DELETE', '/api/endpoints/ends')
})
