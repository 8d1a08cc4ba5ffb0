/** Two services, of which one deploys to the other over real HTTP; the test leads the workers of the other. */
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { expect } from 'vitest'
import { MANIFEST_FILE, type Manifest } from '../../src-main/contract/manifest.ts'
import type { TargetDeploy } from '../../src-main/contract/targets.ts'
import { setup, type TestService } from './core.ts'
import { cuttingProxy } from './cutting-proxy.ts'
import { buildIdOf, platformTools } from './platform-tools.ts'
import type { TestWorker } from './worker-client.ts'

/** An artifact as our own builds make it. @param code tells it from others */
export async function artifactOf(manifest: Manifest, code: string | Uint8Array = 'a'): Promise<Buffer> {
  const tar = pack()
  const mtime = new Date(0) // the same input gives the same bytes
  tar.entry({ name: MANIFEST_FILE, mtime }, JSON.stringify(manifest))
  tar.entry({ name: 'worker.py', mtime }, Buffer.from(code))
  tar.finalize()
  const pieces: Buffer[] = []
  for await (const piece of tar) pieces.push(piece as Buffer)
  return gzipSync(Buffer.concat(pieces), { level: 0 })
}

/** Where the tests deploy, as the API of the service that deploys has it. */
export const BOX = '/api/targets/box/apps/shop/environments/production'

const PART_BYTES = 4_000_000

/** Uploads an artifact to a service, as commands do; gives its name. */
export async function giveArtifact(service: TestService, bytes: Uint8Array): Promise<string> {
  const artifact = buildIdOf(bytes)
  for (let offset = 0; offset < bytes.length; offset += PART_BYTES) {
    const body = bytes.subarray(offset, offset + PART_BYTES)
    const path = `/api/artifacts/${artifact}?offset=${offset}&total=${bytes.length}`
    const headers = { 'content-type': 'application/octet-stream' }
    expect(await service.ask('PUT', path, { body, headers })).toMatchObject({ status: 200 })
  }
  return artifact
}

type Deploying = {
  readonly manifest: Manifest
  readonly code?: string | Uint8Array
  readonly more?: object
}

/**
 * Starts both, and stores the second as target `box` of the first, under an address whose way can be cut.
 * @param options of the second
 */
export async function twoServices(options: Parameters<typeof platformTools>[0] = {}) {
  const here = await setup()
  const tools = await platformTools(options)
  const there = tools.service
  const way = await cuttingProxy(await there.listen('users'))
  const host = `127.0.0.1:${way.port}`
  const url = `http://${host}`
  there.answerTo(host)
  await here.post('/api/targets', { name: 'box', url, key: there.accountKey() })

  /** Gives the first service an artifact; gives what a deploy of it names. */
  const source = async ({ manifest, code }: Deploying) => ({
    artifact: await giveArtifact(here, await artifactOf(manifest, code)),
    manifest,
  })

  const begin = async (deploying: Deploying): Promise<TargetDeploy> =>
    here.post(`${BOX}/deploys`, { source: await source(deploying), ...deploying.more })

  const read = (id: string): Promise<TargetDeploy> => here.get(`/api/target-deploys/${id}`)

  /** Waits until a deploy is over. */
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

  return { here, there, tools, url, way, source, begin, read, over, deploy }
}
