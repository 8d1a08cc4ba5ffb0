import { beforeEach, expect, test } from 'vitest'
import { noElectron, openDesktop, openScreen, waitForNoProcesses } from './support.ts'

beforeEach(({ skip }) => skip(noElectron !== undefined, noElectron))

test('the window opens on the first page, signed in, and no process remains after it quits', async () => {
  const screen = await openScreen()
  const desktop = await openDesktop(screen)
  const page = await desktop.window()
  const { url, client } = desktop.service()
  expect(page.url()).toBe(`${url}/endpoints`)
  expect((await client.call('endpointList')).endpoints.map(({ id }) => id)).toEqual(['sketch'])
  screen.takeScreenshot('first-window')
  await desktop.app.evaluate(({ app }) => app.quit())
  expect(await desktop.ended).toBe(0)
  await waitForNoProcesses(screen)
})
