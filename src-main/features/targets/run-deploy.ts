/**
 * Deploys in the order of the platform's tools: app and environment, artifact, build, endpoints. Nothing changes until
 * activation; a Drydock keeps the active build unless all new endpoints are ready. Source: docs/spec/platform.md, 8.
 */
import { z } from 'zod'
import type { ReleaseStep } from '../../contract/app.ts'
import { AppError } from '../../contract/errors.ts'
import type { Manifest } from '../../contract/manifest.ts'
import type { TargetDeploy, TargetEndpoint } from '../../contract/targets.ts'
import type { Clock } from '../../lib/clock.ts'
import { withFullStop } from '../../lib/text.ts'
import { HOUR_MS } from '../../lib/units.ts'
import type { TargetPlace } from '../../storage/storage.ts'
import { savedResources } from '../platform-api/rules/manifest.ts'
import { readApp, readEnvironment, type ThereEnvironment, viewEndpoints, workersOf } from './read-target.ts'
import { saveInputOf } from './rules/plan-target.ts'
import { toPlatformManifest } from './rules/to-platform-manifest.ts'
import { sendArtifact } from './send-artifact.ts'
import type { TargetClient } from './target-client.ts'

export type DeployedCode = { readonly file: string; readonly bytes: number } | { readonly build: string }

export type DeployWork = {
  readonly place: TargetPlace
  readonly code: DeployedCode
  readonly manifest: Manifest
  readonly deletes: readonly string[]
  readonly key: string | undefined
}

export type DeployNews = {
  readonly change: (change: Partial<Pick<TargetDeploy, 'phase' | 'sentBytes'>>) => void
  readonly line: (line: string) => void
  readonly step: (resource: string, change: Pick<ReleaseStep, 'state'> & Pick<Partial<ReleaseStep>, 'note'>) => void
}

const CREATE_APP = 'mutation ($input: CreateFlashAppInput!) { createFlashApp(input: $input) { id } }'
const CREATE_ENVIRONMENT =
  'mutation ($input: CreateFlashEnvironmentInput!) { createFlashEnvironment(input: $input) { id name } }'
const DELETE_APP = 'mutation ($id: String!) { deleteFlashApp(flashAppId: $id) }'
const DELETE_ENVIRONMENT = 'mutation ($id: String!) { deleteFlashEnvironment(flashEnvironmentId: $id) }'
const DEPLOY = 'mutation ($input: DeployBuildToEnvironmentInput!) { deployBuildToEnvironment(input: $input) { id } }'
const SAVE = 'mutation ($input: EndpointInput!) { saveEndpoint(input: $input) { id } }'
// Only Drydock has it: the platform's tools get no reason.
const WHY = `query ($app: String!, $name: String!) {
  environment(app: $app, name: $name) { releases(limit: 1) { state reason } }
}`

const withId = z.object({ id: z.string() })
const anything = z.looseObject({})

/**
 * @returns the build id and the environment's endpoints
 * @throws AppError TARGET_UNREACHABLE, TARGET_REFUSED; the abort reason of the client's signal
 */
export async function runTargetDeploy(
  { clock }: { readonly clock: Clock },
  client: TargetClient,
  work: DeployWork,
  news: DeployNews,
): Promise<{ readonly build: string; readonly endpoints: readonly TargetEndpoint[] }> {
  const { place, code, manifest } = work
  const there = await readApp(client, place.app)
  const appId = there?.id ?? (await createApp(client, place.app))
  let build: string
  let environmentId: string
  try {
    build = 'build' in code ? code.build : await upload(client, appId, { ...code, manifest }, news)
    const known = there?.environments.find(({ name }) => name === place.environment)
    environmentId = known?.id ?? (await createEnvironment(client, appId, place.environment))
  } catch (error) {
    // Removes a new empty app; if that fails, the next deploy uses it.
    if (there === undefined) await deleteThere(client, DELETE_APP, appId).catch(() => {})
    throw error
  }
  news.change({ phase: 'activate' })
  const input = { flashEnvironmentId: environmentId, flashBuildId: build }
  await client.query({ text: DEPLOY, variables: { input }, schema: anything, writes: true })
  await saveEndpoints(client, { ...work, build, environmentId }, news)
  news.change({ phase: 'wait' })
  const environment = await waitUntilActive(clock, client, { place, appId, build }, news)
  news.change({ phase: 'delete' })
  await deleteEndpoints(client, environment, work, news)
  const after = (await readEnvironment(client, appId, place.environment)) ?? environment
  return { build, endpoints: await viewEndpoints(client, after) }
}

/**
 * In the tools' order: endpoints, the environment, then its app if it was the last.
 * @returns deleted endpoints, none without the environment
 * @throws AppError TARGET_UNREACHABLE, TARGET_REFUSED
 */
export async function undeployThere(
  client: TargetClient,
  { app, environment: name }: TargetPlace,
): Promise<readonly string[]> {
  const there = await readApp(client, app)
  const environment = there?.environments.find((one) => one.name === name)
  if (there === undefined || environment === undefined) return []
  const endpoints = environment.endpoints ?? []
  for (const { id } of endpoints) await deleteEndpoint(client, id)
  await deleteThere(client, DELETE_ENVIRONMENT, environment.id)
  if (there.environments.length === 1) await deleteThere(client, DELETE_APP, there.id)
  return endpoints.map((endpoint) => endpoint.name)
}

async function deleteThere(client: TargetClient, text: string, id: string): Promise<void> {
  await client.query({ text, variables: { id }, schema: anything, writes: true })
}

async function deleteEndpoint(client: TargetClient, id: string): Promise<void> {
  await client.rest('DELETE', `/serverless/${encodeURIComponent(id)}`, z.undefined())
}

async function createApp(client: TargetClient, name: string): Promise<string> {
  const schema = z.object({ createFlashApp: withId })
  const made = await client.query({ text: CREATE_APP, variables: { input: { name } }, schema, writes: true })
  return made?.createFlashApp.id ?? ''
}

async function createEnvironment(client: TargetClient, flashAppId: string, name: string): Promise<string> {
  const schema = z.object({ createFlashEnvironment: withId })
  const variables = { input: { flashAppId, name } }
  const made = await client.query({ text: CREATE_ENVIRONMENT, variables, schema, writes: true })
  return made?.createFlashEnvironment.id ?? ''
}

async function upload(
  client: TargetClient,
  appId: string,
  { file, bytes, manifest }: { readonly file: string; readonly bytes: number; readonly manifest: Manifest },
  { change, line }: DeployNews,
): Promise<string> {
  change({ phase: 'upload' })
  const artifact = { file, bytes, manifest: toPlatformManifest(manifest) }
  return await sendArtifact(client, appId, artifact, {
    onProgress: (sentBytes) => change({ sentBytes }),
    onLine: line,
  })
}

// In order, as the tools do: the last save ends the deploy of a Drydock with its result; if that answer is lost, the
// target is asked.
async function saveEndpoints(
  client: TargetClient,
  {
    place,
    manifest,
    key,
    build,
    environmentId,
  }: DeployWork & { readonly build: string; readonly environmentId: string },
  { step, line }: DeployNews,
): Promise<void> {
  const saved = { environmentId, environment: place.environment, build, pythonVersion: manifest.python_version, key }
  const resources = savedResources(manifest)
  for (const [index, [name, resource]] of resources.entries()) {
    step(name, { state: 'starting' })
    const input = saveInputOf(name, resource, saved)
    try {
      await client.query({ text: SAVE, variables: { input }, schema: anything, writes: true })
    } catch (error) {
      const isLost = error instanceof AppError && error.code === 'TARGET_UNREACHABLE'
      if (!isLost || index < resources.length - 1) throw error
      line(`The answer to the last request was lost (${error.data.why}). Asking the target for the outcome.`)
    }
  }
}

// Poll interval and limit for the target's decision, ms. Source: ours; a Drydock decides within minutes.
const LOOK_EVERY_MS = 1000
const DECIDES_WITHIN_MS = HOUR_MS

async function waitUntilActive(
  clock: Clock,
  client: TargetClient,
  { place, appId, build }: { readonly place: TargetPlace; readonly appId: string; readonly build: string },
  { step }: DeployNews,
): Promise<ThereEnvironment> {
  const until = clock.steady() + DECIDES_WITHIN_MS
  for (;;) {
    const environment = await readEnvironment(client, appId, place.environment)
    if (environment === undefined) throw refused(client, 'the environment was deleted meanwhile.')
    if (environment.state !== 'DEPLOYING') {
      if (environment.activeBuildId === build) return environment
      throw refused(
        client,
        (await reasonOf(client, place)) ?? 'its release failed, and what was active there still is.',
      )
    }
    if (clock.steady() > until) throw refused(client, 'it did not decide within an hour.')
    for (const { id, name } of environment.endpoints ?? [])
      step(name, { state: 'starting', note: await workersOf(client, id) })
    await client.pauseFor(LOOK_EVERY_MS)
  }
}

const refused = ({ url }: TargetClient, why: string) => new AppError('TARGET_REFUSED', { url, why })

async function reasonOf(client: TargetClient, { app, environment: name }: TargetPlace): Promise<string | undefined> {
  const release = z.object({ state: z.string(), reason: z.string().nullish() })
  const schema = z.object({ environment: z.object({ releases: z.array(release) }).nullable() })
  try {
    const told = await client.query({ text: WHY, variables: { app, name }, schema })
    const last = told?.environment?.releases[0]
    return last?.state === 'failed' && last.reason != null ? withFullStop(last.reason) : undefined
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

async function deleteEndpoints(
  client: TargetClient,
  { endpoints }: ThereEnvironment,
  { manifest, deletes }: DeployWork,
  { step }: DeployNews,
): Promise<void> {
  const gone = (endpoints ?? []).filter(({ name }) => manifest.resources[name] === undefined)
  for (const { id, name } of gone) {
    if (deletes.includes(name)) await deleteEndpoint(client, id)
    step(name, { state: 'done', ...(deletes.includes(name) ? {} : { note: 'kept' }) })
  }
}
