/**
 * Records what the public editor's own page makes of the samples, into test/fixtures/comfy-page:
 *
 *     node test/comfy/record.ts
 */
import { writeFileSync } from 'node:fs'
import { CLASSES } from './convert.ts'
import { install, PINNED } from './packages.ts'
import { openRealPage } from './real-page.ts'
import { recordedFile } from './recorded.ts'
import { SAMPLES } from './samples.ts'

const page = await openRealPage({ folder: install(PINNED).page, classes: CLASSES })
try {
  const payloads: Record<string, unknown> = {}
  for (const [name, document] of Object.entries(SAMPLES))
    payloads[name] = JSON.parse((await page.open(JSON.stringify(document))).payload)
  writeFileSync(recordedFile, `${JSON.stringify(payloads, null, 1)}\n`)
} finally {
  await page.close()
}
