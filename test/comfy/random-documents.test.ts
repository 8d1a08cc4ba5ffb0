/** The newest page reads random documents as we do. DRYDOCK_COMFY_DOCUMENTS is how many are tried. */
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { noBrowser } from '../support/chromium.ts'
import { CLASSES, payloadOf } from './convert.ts'
import { differences } from './differences.ts'
import { install, NEWEST } from './packages.ts'
import { randomDocuments } from './random-documents.ts'
import { openRealPage } from './real-page.ts'
import { reasonOf } from './reasons.ts'

const COUNT = Number(process.env.DRYDOCK_COMFY_DOCUMENTS ?? 200)

test('for each document, the page sends the same payload as we do', { timeout: COUNT * 5_000 }, async ({ skip }) => {
  skip(noBrowser !== undefined, noBrowser)
  const page = await openRealPage({ folder: install(NEWEST).page, classes: CLASSES })
  onTestFinished(page.close)
  const differ: string[] = []
  for (const document of fc.sample(randomDocuments, { numRuns: COUNT, seed: 1 })) {
    const { payload } = await page.open(document)
    const found = differences(payload, payloadOf(document)).filter((one) => reasonOf('', one) === undefined)
    if (found.length > 0) differ.push(`${found.map(({ node, what }) => `${node} ${what}`).join(', ')} in ${document}`)
  }
  expect(differ).toEqual([])
})
