/** Asks a service under test as the platform's own tools do, and deploys apps in the form of 2.0 as they would. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { expect } from 'vitest'
import { PLATFORM_MANIFEST_FILE } from '../../src-main/contract/platform-manifest.ts'
import { setup, type TestService } from './core.ts'
import type { TestWorker } from './worker-client.ts'

/** A query: `key` undefined sends the account key, null none. */
type Query = { readonly variables?: object; readonly key?: string | null }

/** A resource as the manifest of an artifact of 2.0 has it. */
export type ToolResource = {
  readonly name: string
  readonly kind?: 'queue' | 'api' | 'task'
  readonly [more: string]: unknown
}

/** Where a test deploys: ids as the service has given them. */
type ToolPlace = { readonly flashAppId: string; readonly flashEnvironmentId: string }

/** The result of saving an endpoint. */
type Saved = { readonly id: string | undefined; readonly error: string | undefined }

/** The manifest of an artifact of 2.0 with these resources. */
export function toolManifest(resources: readonly ToolResource[], more: object = {}) {
  return {
    version: 1,
    app: 'shop',
    pythonVersion: '3.12',
    resources: resources.map((each) => ({ kind: 'queue', module: 'main', instanceIds: ['cpu3c-1-2'], ...each })),
    ...more,
  }
}

/** An artifact with this manifest. @param code tells it from others */
export async function toolArtifact(manifest: object, code = 'a'): Promise<Buffer> {
  const tar = pack()
  tar.entry({ name: PLATFORM_MANIFEST_FILE }, JSON.stringify(manifest))
  tar.entry({ name: 'main.py' }, `VERSION = ${JSON.stringify(code)}\n`)
  tar.finalize()
  const pieces: Buffer[] = []
  for await (const piece of tar) pieces.push(piece as Buffer)
  return gzipSync(Buffer.concat(pieces))
}

/** The id of the build that an artifact is. */
export const buildIdOf = (artifact: Uint8Array): string => createHash('sha256').update(artifact).digest('hex')

const PREPARE = `mutation ($input: PrepareFlashArtifactUploadInput!) {
  prepareFlashArtifactUpload(input: $input) { uploadUrl objectKey expiresAt }
}`
/** The query that ends an upload. */
export const FINALIZE = `mutation ($input: FinalizeFlashArtifactUploadInput!) {
  finalizeFlashArtifactUpload(input: $input) { id manifest }
}`
const DEPLOY =
  'mutation ($input: DeployBuildToEnvironmentInput!) { deployBuildToEnvironment(input: $input) { id state } }'
const SAVE = 'mutation ($input: EndpointInput!) { saveEndpoint(input: $input) { id name templateId } }'

/** Starts a fresh service for a test, and gives what asks it. */
export async function platformTools(options: Parameters<typeof setup>[0] = {}) {
  const service = await setup(options)

  const query = (text: string, { variables, key }: Query = {}) =>
    service.ask('POST', '/graphql', { body: { query: text, variables }, ...(key === undefined ? {} : { key }) })

  /** The data of a query, which must succeed. */
  async function read(text: string, variables: object = {}) {
    const { status, body } = await query(text, { variables })
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined })
    return body.data
  }

  /** The message of the only error of a query. */
  async function refusal(text: string, variables: object = {}): Promise<string> {
    const { errors } = (await query(text, { variables })).body
    expect(errors).toHaveLength(1)
    return errors[0].message
  }

  /** Makes an environment, and its app where that is missing. */
  async function place(app = 'shop', environment = 'default'): Promise<ToolPlace> {
    await read('mutation ($input: CreateFlashAppInput!) { createFlashApp(input: $input) { id } }', {
      input: { name: app },
    })
    const made = await read(
      'mutation ($input: CreateFlashEnvironmentInput!) { createFlashEnvironment(input: $input) { id } }',
      { input: { flashAppId: app, name: environment } },
    )
    return { flashAppId: app, flashEnvironmentId: made.createFlashEnvironment.id }
  }

  const prepare = async (tarballSize: number, flashAppId = 'shop') =>
    (await read(PREPARE, { input: { flashAppId, tarballSize } })).prepareFlashArtifactUpload as {
      readonly uploadUrl: string
      readonly objectKey: string
      readonly expiresAt: string
    }

  /** Sends bytes to an address that was given out, without a key. */
  const put = (uploadUrl: string, body: Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
    service.request('PUT', new URL(uploadUrl).pathname, {
      key: null,
      body,
      headers: { 'content-type': 'application/gzip', ...headers },
    })

  const finalizing = (objectKey: string, flashAppId = 'shop') => ({ input: { flashAppId, objectKey, manifest: {} } })

  /** Uploads an artifact for an app; gives the id of the build. */
  async function upload(artifact: Uint8Array, app = 'shop'): Promise<string> {
    const { uploadUrl, objectKey } = await prepare(artifact.length, app)
    expect((await put(uploadUrl, artifact)).status).toBe(200)
    return (await read(FINALIZE, finalizing(objectKey, app))).finalizeFlashArtifactUpload.id
  }

  const activate = (flashBuildId: string, { flashEnvironmentId }: Pick<ToolPlace, 'flashEnvironmentId'>) =>
    query(DEPLOY, { variables: { input: { flashEnvironmentId, flashBuildId } } })

  async function save(input: object): Promise<Saved> {
    const { data, errors } = (await query(SAVE, { variables: { input } })).body
    return { id: data?.saveEndpoint?.id, error: errors?.[0].message }
  }

  /** The newest worker of a resource that is not one of `others`, as it calls for work. */
  async function readyWorker(id: string, others: readonly TestWorker[] = []): Promise<TestWorker> {
    const worker = await service.worker(id, others)
    void worker.take().catch(() => undefined)
    return worker
  }

  /**
   * Deploys these resources as the tools do: upload, activate, save each of them. The last save waits for the release, for
   * which the first worker of each endpoint becomes ready.
   * @param saved further fields of each save
   */
  async function deploy(
    at: ToolPlace,
    resources: readonly ToolResource[],
    {
      code = 'a',
      saved = {},
      others = [],
    }: { readonly code?: string; readonly saved?: object; readonly others?: readonly TestWorker[] } = {},
  ) {
    const build = await upload(await toolArtifact(toolManifest(resources), code), at.flashAppId)
    expect((await activate(build, at)).body.errors).toBeUndefined()
    const served = resources.filter(({ kind }) => kind !== 'task')
    const answers = Promise.all(
      served.map(({ name }) => save({ name, flashEnvironmentId: at.flashEnvironmentId, ...saved })),
    )
    const workers: TestWorker[] = []
    for (const { name } of served) workers.push(await readyWorker(name, others))
    return { build, workers, answers: await answers }
  }

  return { service, query, read, refusal, place, prepare, put, finalizing, upload, activate, save, readyWorker, deploy }
}

/** The routes of the releases of `shop/default`, as our own API has them. */
export const TOOLS_PLACE = '/api/apps/shop/environments/default'

/** The settings of an endpoint, also those that only the service knows. */
export const configOf = (service: TestService, id: string) => service.storage().endpoints.get(id)?.config
