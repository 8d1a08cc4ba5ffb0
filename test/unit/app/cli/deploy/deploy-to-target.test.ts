import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createClient } from '../../../../../src-main/app/cli/client.ts'
import { createOutput } from '../../../../../src-main/app/cli/output.ts'
import type { runBuild } from '../../../../../src-main/features/apps/commands/build-app.ts'
import { deployToTarget } from '../../../../../src-main/features/apps/commands/deploy/deploy-to-target.ts'
import { startStandIn, surroundingsOf, temporaryFolder } from '../support.ts'
import { planOf, step } from './support.ts'

const SHA256 = 'a'.repeat(64)
const AT = '/api/targets/box/apps/demo/environments/production'
const BEGUN = `POST ${AT}/deploys`

async function setup(active: string) {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'artifact.tar.gz'), 'packed')
  writeFileSync(join(folder, 'svc_manifest.json'), JSON.stringify({ version: '1.0', app: 'demo' }))
  const { runsOn: _runsOn, ...plan } = planOf({ steps: [step({ action: 'unchanged' })], makes: [] })
  const service = await startStandIn({
    'GET /api/targets/box/apps/demo': {
      isThere: true,
      environments: [{ name: 'production', state: 'active', build: 'b1', endpoints: ['greet'] }],
    },
    [`GET ${AT}/deploys`]: { deploys: [{ number: 7, build: 'b1', artifact: active, createdAt: 0 }] },
    [`POST ${AT}/plan`]: plan,
    [`GET /api/artifacts/${SHA256}`]: { state: 'complete', received: 6, total: 6 },
  })
  const world = surroundingsOf(folder, { env: { SVC_APP: 'demo', NO_COLOR: '1' } })
  const build = (async () => ({
    ...{ artifact: join(folder, 'artifact.tar.gz'), manifest: join(folder, 'svc_manifest.json'), sha256: SHA256 },
    ...{ bytes: 6, warnings: [] },
  })) as unknown as typeof runBuild
  const deploy = async (more: object = {}) => {
    const found = { url: service.url, key: 'secret-key', by: '--url' }
    const session = {
      client: createClient(found),
      output: createOutput(world.surroundings, false),
      options: {},
      service: found,
    }
    await deployToTarget({ images: 'specified', target: 'box', ...more }, session, world.surroundings, build)
  }
  return { deploy, written: world.written, lines: () => service.seen.map(({ line }) => line) }
}

test('a deploy without changes to a target makes none, as one to the own service', async () => {
  const { deploy, written, lines } = await setup(SHA256)
  await deploy()
  expect(written.stdout).toContain('Nothing changed, so nothing was deployed. Deploy 7 of demo/production is active')
  expect(lines()).not.toContain(BEGUN)
})

test('one of other code, or with the key, is made', async () => {
  for (const [active, more] of [
    ['b'.repeat(64), {}],
    [SHA256, { withKey: true }],
  ] as const) {
    const { deploy, lines } = await setup(active)
    await expect(deploy(more)).rejects.toThrow()
    expect(lines()).toContain(BEGUN)
  }
})
