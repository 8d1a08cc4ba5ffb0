import { chromium } from 'playwright-core'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { chromiumOptions, noBrowser } from '../support/chromium.ts'

beforeEach(({ skip }) => skip(noBrowser !== undefined, noBrowser))

test('features that Playwright switches off in a browser stay off in that of tests', async () => {
  const server = await chromium.launchServer(chromiumOptions())
  onTestFinished(() => server.close())
  const lists = server.process().spawnargs.filter((arg) => arg.startsWith('--disable-features='))
  const [theirs, ours] = lists.map((list) => list.replace(/^[^=]*=/, '').split(','))
  expect(lists).toHaveLength(2)
  expect(ours).toEqual(expect.arrayContaining(theirs ?? []))
})
