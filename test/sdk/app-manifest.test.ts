/** The manifest of an app of SDK 2.0 as a build here writes it, against that of the unmodified package. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createPythonScanner } from '../../src-main/features/apps/adapters/python-scanner.ts'
import { makePlatformManifest } from '../../src-main/features/platform-api/rules/app-manifest.ts'
import { temporaryFolder } from '../e2e/support-cli.ts'
import { APP_SOURCE, writeAppArtifact } from './support-app.ts'
import { PREPARE_LIMIT_MS, preparePublicApps } from './support-python.ts'

const PACKAGES = fileURLToPath(new URL('../../resources/python', import.meta.url))
const EVERY_PARAMETER = fileURLToPath(new URL('python/every_parameter_app.py', import.meta.url))

let packages: Awaited<ReturnType<typeof preparePublicApps>>
beforeAll(async () => {
  packages = await preparePublicApps()
}, PREPARE_LIMIT_MS)
beforeEach(({ skip }) => skip(!packages.ready, packages.reason))

test.each([
  ['every kind', APP_SOURCE],
  ['every parameter', EVERY_PARAMETER],
])('of an app with %s is the same in every field', async (_what, source) => {
  const project = join(temporaryFolder(), 'shop')
  await writeAppArtifact(project, packages.python, source)
  const ofPackage = JSON.parse(readFileSync(join(project, 'runpod_manifest.json'), 'utf8'))
  const scan = await createPythonScanner({ packages: PACKAGES, env: process.env })({ project })
  expect(scan.errors).toEqual([])
  expect(makePlatformManifest({ app: 'shop', scan, pythonVersion: ofPackage.pythonVersion })).toEqual(ofPackage)
})
