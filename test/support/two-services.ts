/** Two services, of which one deploys to the other over real HTTP; the test leads the workers of the other. */
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { expect } from 'vitest'
import { MANIFEST_FILE, type Manifest } from '../../src-main/contract/manifest.ts'
import type { TargetDeploy } from '../../src-main/contract/targets.ts'
import { setup } from './core.ts'
import { buildIdOf, platformTools } from './platform-tools.ts'
import type { TestWorker } from './worker-client.ts'

/** An artifact as our own builds make it. @param code tells it from others */
export async function artifactOf(manifest: Manifest, code: string | Uint8Array = 'a'): Promise<Buffer> {
  const tar = pack()
  tar.entry({ name: MANIFEST_FILE }, JSON.stringify(manifest))
  tar.entry({ name: 'worker.py' }, Buffer.from(code))
  tar.finalize()
  const pieces: Buffer[] = []
  for await (const piece of tar) pieces.push(piece as Buffer)
  return gzipSync(Buffer.concat(pieces), { level: 0 })
}

/** Where the tests deploy, as the API of the service that deploys has it. */
export const PLACE = '/api/targets/box/apps/shop/environments/production'

type Deploying = {
  readonly manifest: Manifest
  readonly code?: string | Uint8Array
  readonly more?: object
}

/** Starts both, and stores the second as target `box` of the first. @param via address of the second, where not its own */
export async function twoServices(via: (url: string) => Promise<string> = async (url) => url) {
  const here = await setup()
  const tools = await platformTools()
  const there = tools.service
  const url = await via(await there.listen('users'))
  await here.post('/api/targets', { name: 'box', url, key: there.accountKey() })

  /** Gives the first service an artifact; gives what a deploy of it names. */
  async function source({ manifest, code }: Deploying) {
    const bytes = await artifactOf(manifest, code)
    const artifact = buildIdOf(bytes)
    for (let offset = 0; offset < bytes.length; offset += 4_000_000) {
      const body = bytes.subarray(offset, offset + 4_000_000)
      const path = `/api/artifacts/${artifact}?offset=${offset}&total=${bytes.length}`
      const headers = { 'content-type': 'application/octet-stream' }
      expect(await here.ask('PUT', path, { body, headers })).toMatchObject({ status: 200 })
    }
    return { artifact, manifest }
  }

  const begin = async (deploying: Deploying): Promise<TargetDeploy> =>
    here.post(`${PLACE}/deploys`, { source: await source(deploying), ...deploying.more })

  const read = (id: string): Promise<TargetDeploy> => here.get(`/api/target-deploys/${id}`)

  /** Waits until a deploy is over. The clock of the other service goes on too, where it has to. */
  const over = (id: string): Promise<TargetDeploy> =>
    here.clock.until(async () => {
      const deploy = await read(id)
      return deploy.state !== 'running' && deploy
    }, 3_600_000)

  /** Deploys, with a worker of each endpoint that becomes ready. */
  async function deploy(deploying: Deploying, others: readonly TestWorker[] = []) {
    const { id } = await begin(deploying)
    const workers: TestWorker[] = []
    for (const name of Object.keys(deploying.manifest.resources)) workers.push(await tools.readyWorker(name, others))
    return { deploy: await over(id), workers }
  }

  return { here, there, tools, url, source, begin, read, over, deploy }
}
