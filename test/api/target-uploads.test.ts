import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { manifestOf } from '../support/app-folder.ts'
import { twoServices } from '../support/two-services.ts'

const MANIFEST = manifestOf({ adder: {} })
// More than the buffers of a connection hold, so that it breaks in the middle.
const CODE = randomBytes(12_000_000)
const CUT_AFTER = 6_000_000

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-targets-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it('an upload to a target continues where it broke off', async () => {
  const { way, begin, over, tools } = await twoServices()
  way.cutAfter(CUT_AFTER)
  const { id } = await begin({ manifest: MANIFEST, code: CODE })
  const ready = tools.readyWorker('adder')
  const deploy = await over(id)
  await ready
  expect(deploy).toMatchObject({ state: 'active', number: 1 })
  expect(way.cuts()).toBe(1)
  expect(deploy.log.length).toBeGreaterThan(0)
  for (const line of deploy.log)
    expect(line).toMatch(/^The upload was interrupted \(.+\) and resumes after \d.* MiB\.$/)
})

it('a target that is killed in the middle of an upload keeps nothing of it, and the upload begins again', async () => {
  const folder = temporaryFolder()
  const { there, way, begin, over, tools } = await twoServices({ file: join(folder, 'drydock.db') })
  way.cutAfter(CUT_AFTER)
  const { id } = await begin({ manifest: MANIFEST, code: CODE })
  await expect.poll(() => way.cuts()).toBe(1)
  const artifacts = () => readdirSync(join(folder, 'artifacts'))
  expect(artifacts()).toEqual([expect.stringMatching(/^made-/)])
  await there.restart('killed')
  expect(artifacts()).toEqual([])
  const ready = tools.readyWorker('adder')
  const deploy = await over(id)
  await ready
  expect(deploy).toMatchObject({ state: 'active', number: 1 })
  expect(deploy.log).toEqual([expect.stringMatching(/ and begins again\.$/)])
})

it('a target that is killed in the middle of a release is deployed to again', async () => {
  const folder = temporaryFolder()
  const { here, there, way, begin, over, deploy } = await twoServices({ file: join(folder, 'drydock.db') })
  const { id } = await begin({ manifest: MANIFEST })
  const unfinished = await there.worker('adder')
  await there.restart('killed')
  way.cut()
  const first = await over(id)
  expect(first).toMatchObject({ state: 'failed' })
  expect(first.reason).toMatch(/refused: the service stopped while it was prepared\. /)
  const place = '/api/apps/shop/environments/production'
  expect(await there.get(place)).toMatchObject({ endpoints: [], releases: [{ number: 1, state: 'failed' }] })
  const again = await deploy({ manifest: MANIFEST }, [unfinished])
  expect(again.deploy).toMatchObject({ state: 'active', number: 1 })
  expect(await here.get('/api/endpoints')).toEqual({ endpoints: [] })
})
