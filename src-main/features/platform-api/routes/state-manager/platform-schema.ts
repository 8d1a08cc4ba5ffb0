/**
 * Queries of `rp` and runpod 2.0, on the state manager's data. All but sign-in need the account key. Source:
 * docs/spec/platform.md, 6.
 */
import { GraphQLError, type GraphQLSchema, isScalarType } from 'graphql'
import type { ZodType } from 'zod'
import { appName, artifactName, environmentName } from '../../../../contract/app.ts'
import { AppError } from '../../../../contract/errors.ts'
import type { Role } from '../../../../contract/roles.ts'
import { SERVICE_ROUTES } from '../../../../contract/service-routes.ts'
import { noted, targetOf } from '../../../../http/audit.ts'
import { requireRoleOf } from '../../../../http/guards.ts'
import type { App, Endpoint, Environment } from '../../../../storage/storage.ts'
import { endpointsOf } from '../../../apps/environment-endpoints.ts'
import {
  createEnvironment,
  deleteApp,
  deleteEnvironment,
  requireApp,
  requireEnvironment,
} from '../../../apps/environments.ts'
import { deleteEndpoint } from '../../../endpoints/endpoints.ts'
import { createSecret, deleteSecret, listSecrets } from '../../../keys/account-secrets.ts'
import type { ServiceContext } from '../../../service-context.ts'
import type { PlatformDeploys } from '../../deploys.ts'
import { createPlatformEndpoint, updatePlatformEndpoint } from '../../endpoints.ts'
import { updatePlatformRegistry } from '../../records.ts'
import { createOf, modelOf, type SavedInput, updateOf } from '../../rules/saved-endpoint.ts'
import type { TaskPod } from '../../rules/task-pod.ts'
import type { SignInRequests } from '../../sign-in-requests.ts'
import { beginTaskCall, endTaskCall, findTaskCall } from '../../task-calls.ts'
import type { Uploads } from '../../uploads.ts'
import type { FieldResolvers, QueryContext } from './resolvers.ts'

export const GUEST_FIELDS: ReadonlySet<string> = new Set(['createFlashAuthRequest', 'flashAuthRequestStatus'])

const POD_FIELDS = `
  name: String!
  imageName: String!
  ports: String
  dockerArgs: String
  containerDiskInGb: Int
  containerRegistryAuthId: String
  supportPublicIp: Boolean
  terminateAfter: String
  env: [EnvironmentVariableInput!]
  dataCenterIds: [String!]
  volumeMounts: [VolumeMountInput!]`

/** Additions to the schema of the state manager. Times are ISO 8601. */
export const PLATFORM_TYPES = `
scalar JSON

extend type Query {
  myself: Account!
  flashApp(flashAppId: String!): FlashApp!
  flashAppByName(flashAppName: String!): FlashApp!
  flashEnvironment(flashEnvironmentId: String!): FlashEnvironment!
  flashEnvironmentByName(input: FlashEnvironmentByNameInput!): FlashEnvironment!
  flashAuthRequestStatus(flashAuthRequestId: String!): FlashAuthRequest!
  "This machine is one place; what it has is there."
  cpuFlavors(input: CpuFlavorInput): [CpuFlavor!]!
}

type Mutation {
  createFlashApp(input: CreateFlashAppInput!): FlashApp!
  createFlashEnvironment(input: CreateFlashEnvironmentInput!): FlashEnvironment!
  deleteFlashApp(flashAppId: String!): Boolean!
  deleteFlashEnvironment(flashEnvironmentId: String!): Boolean!
  prepareFlashArtifactUpload(input: PrepareFlashArtifactUploadInput!): FlashArtifactUpload!
  finalizeFlashArtifactUpload(input: FinalizeFlashArtifactUploadInput!): FlashBuild!
  deployBuildToEnvironment(input: DeployBuildToEnvironmentInput!): FlashEnvironment!
  saveEndpoint(input: EndpointInput!): SavedEndpoint!
  deleteEndpoint(id: String!): Boolean
  updateRegistryAuth(input: UpdateRegistryAuthInput!): RegistryAuth!
  secretCreate(input: SecretCreateInput!): Secret!
  secretDelete(id: ID!): Boolean!
  createFlashAuthRequest: FlashAuthRequest!
  "Begins a call of a task; of pods, no others run on this machine."
  deployCpuPod(input: deployCpuPodInput!): Pod!
  podFindAndDeployOnDemand(input: PodFindAndDeployOnDemandInput): Pod!
  podTerminate(input: PodTerminateInput!): Boolean
}

type Account {
  id: ID!
  "Always null: workers have no SSH."
  pubKey: String
  endpoint(id: String!): FlashEndpoint
  networkVolumes: [FlashVolume!]!
  flashApps: [FlashApp!]!
  secrets: [Secret!]!
}

type FlashApp {
  id: ID!
  name: String!
  flashEnvironments: [FlashEnvironment!]!
  flashBuilds: [FlashBuild!]!
}

type FlashEnvironment {
  id: ID!
  name: String!
  state: String!
  createdAt: String!
  activeBuildId: String
  endpoints: [FlashEndpoint!]!
  networkVolumes: [FlashVolume!]!
}

type FlashEndpoint { id: ID! name: String! }
type FlashVolume { id: ID! name: String! size: Int dataCenterId: String }
type RegistryAuth { id: ID! name: String! }
type FlashBuild { id: ID! objectKey: String! createdAt: String manifest: JSON }
type FlashArtifactUpload { uploadUrl: String! objectKey: String! expiresAt: String! }
type FlashAuthRequest { id: ID! status: String! expiresAt: String! apiKey: String }
type Pod { id: ID! desiredStatus: String! }
type Secret { id: ID! name: String! description: String! createdAt: String! }
type CpuFlavor { specifics(input: SpecificsInput): CpuSpecifics! }
type CpuSpecifics { stockStatus: String! }

type SavedEndpoint {
  id: ID!
  name: String!
  templateId: String
  gpuIds: String
  instanceIds: [String!]
  workersMin: Int
  workersMax: Int
  idleTimeout: Int
  aiKey: String
}

input FlashEnvironmentByNameInput { flashAppId: String! name: String! }
input CreateFlashAppInput { name: String! }
input CreateFlashEnvironmentInput { flashAppId: String! name: String! }
input PrepareFlashArtifactUploadInput { flashAppId: String! tarballSize: Float! }
input FinalizeFlashArtifactUploadInput { flashAppId: String! objectKey: String! manifest: JSON }
input DeployBuildToEnvironmentInput { flashEnvironmentId: String! flashBuildId: String! }
input SecretCreateInput { name: String! value: String! description: String }
input UpdateRegistryAuthInput { id: String! username: String! password: String! }
input CpuFlavorInput { id: String isSls: Boolean }
input SpecificsInput { dataCenterId: String instanceId: String isSls: Boolean }
input EnvironmentVariableInput { key: String! value: String! }
input VolumeReferenceInput { networkVolumeId: String! }
input VolumeInput { volumeId: String! volumeType: String }

input VolumeMountInput { volumeId: String! volumeType: String mountPath: String }
input PodTerminateInput { podId: String! }

input deployCpuPodInput {
  ${POD_FIELDS}
  instanceId: String
}

input PodFindAndDeployOnDemandInput {
  ${POD_FIELDS}
  gpuTypeIdList: [String!]
  gpuCount: Int
  minCudaVersion: String
  allowedCudaVersions: [String!]
}

input TemplateInput {
  name: String
  imageName: String
  containerDiskInGb: Int
  dockerArgs: String
  ports: String
  containerRegistryAuthId: String
  env: [EnvironmentVariableInput!]
}

input EndpointInput {
  id: String
  name: String!
  flashEnvironmentId: String
  type: String
  workersMin: Int
  workersMax: Int
  idleTimeout: Int
  scalerType: String
  scalerValue: Int
  executionTimeoutMs: Int
  flashBootType: String
  locations: String
  instanceIds: [String!]
  gpuIds: String
  gpuCount: Int
  minCudaVersion: String
  allowedCudaVersions: String
  networkVolumeIds: [VolumeReferenceInput!]
  volumes: [VolumeInput!]
  modelReferences: [String!]
  schedule: String
  template: TemplateInput
}
`

export type PlatformServices = ServiceContext & {
  readonly uploads: Uploads
  readonly platformDeploys: PlatformDeploys
  readonly signInRequests: SignInRequests
}
type Given<Input> = { readonly input: Input }
type AppKey = { readonly flashAppId: string }
type EnvironmentKey = { readonly flashEnvironmentId: string }

const time = (ms: number) => new Date(ms).toISOString()

/** All but guest fields require the account key. Tools take "not found" in a message for a missing thing. */
export function platformResolvers(service: PlatformServices): Readonly<Record<string, FieldResolvers>> {
  const { Query, Mutation, ...types } = resolversOf(service)
  return { ...types, Query: forRole('read', Query), Mutation: forRole('deploy', listed(service, Mutation)) }
}

type Resolver = FieldResolvers[string]

function forRole(needed: Role, fields: FieldResolvers): FieldResolvers {
  return wrapped(fields, (_name, resolve) => (source, given, context, info) => {
    requireRoleOf(context.caller, needed)
    return resolve(source, given, context, info)
  })
}

function listed(service: PlatformServices, fields: FieldResolvers): FieldResolvers {
  return wrapped(fields, (name, resolve) => (source, given: { readonly input?: unknown }, context, info) => {
    const change = { ...context, operation: `graphql ${name}`, target: targetOf(context.c, given.input ?? given) }
    return noted(service, change, () => resolve(source, given as never, context, info))
  })
}

function wrapped(fields: FieldResolvers, wrap: (name: string, resolve: Resolver) => Resolver): FieldResolvers {
  const entries = Object.entries(fields)
  return Object.fromEntries(
    entries.map(([name, resolve]) => [name, GUEST_FIELDS.has(name) ? resolve : wrap(name, resolve)]),
  )
}

function resolversOf(service: PlatformServices) {
  const { storage, uploads, platformDeploys, signInRequests } = service
  const appOf = ({ flashAppId }: AppKey) => found(() => requireApp(service, flashAppId), `app ${flashAppId}`)

  function environmentOf({ flashEnvironmentId }: EnvironmentKey): Environment {
    const environment = storage.apps.environments().find(({ id }) => String(id) === flashEnvironmentId)
    if (environment === undefined) throw notFound(`environment ${flashEnvironmentId}`)
    return environment
  }

  function buildsOf({ name }: App) {
    const releases = storage.apps.environments(name).flatMap(({ id }) => storage.apps.releases(id, BUILDS_SHOWN))
    const builds = new Map(releases.map(({ artifact, createdAt }) => [artifact, createdAt] as const))
    return [...builds].flatMap(([id, createdAt]) =>
      id === null ? [] : [{ id, objectKey: id, createdAt: time(createdAt) }],
    )
  }

  return {
    Query: {
      myself: () => ({ id: 'local' }),
      flashApp: (_root, key: AppKey) => appOf(key),
      flashAppByName: (_root, { flashAppName }: { readonly flashAppName: string }) =>
        appOf({ flashAppId: flashAppName }),
      flashEnvironment: (_root, key: EnvironmentKey) => environmentOf(key),
      flashEnvironmentByName: (_root, { input }: Given<AppKey & { readonly name: string }>) =>
        found(() => requireEnvironment(service, appOf(input).name, input.name), `environment ${input.name}`),
      flashAuthRequestStatus: (_root, { flashAuthRequestId }: { readonly flashAuthRequestId: string }) =>
        shownRequest(signInRequests.poll(flashAuthRequestId)),
      cpuFlavors: () => [{ specifics: { stockStatus: 'High' } }],
    },
    Account: {
      endpoint: (_root, { id }: { readonly id: string }) => storage.endpoints.get(id),
      networkVolumes: () =>
        storage.platform.volumes
          .all()
          .map(({ id, name, sizeGb, dataCenter }) => ({ id, name, size: sizeGb, dataCenterId: dataCenter })),
      flashApps: () => storage.apps.apps(),
      secrets: () => listSecrets(service).map(shownSecret),
    },
    FlashApp: {
      id: ({ name }: App) => name,
      flashEnvironments: ({ name }: App) => storage.apps.environments(name),
      flashBuilds: buildsOf,
    },
    FlashEnvironment: {
      id: ({ id }: Environment) => String(id),
      state: ({ id }: Environment) => stateOf(storage, id),
      createdAt: ({ createdAt }: Environment) => time(createdAt),
      activeBuildId: ({ id }: Environment) => storage.apps.releaseIn(id, 'active')?.artifact,
      endpoints: ({ app, name }: Environment) =>
        endpointsOf(storage, { app, name }).map((endpoint) => ({ id: endpoint.id, name: endpoint.app.resource })),
      networkVolumes: () => [],
    },
    Mutation: {
      async createFlashApp(_root, { input }: Given<{ readonly name: string }>) {
        const name = nameOf(appName, input)
        await storage.write(() => storage.apps.createApp(name, service.clock.now()))
        return requireApp(service, name)
      },
      createFlashEnvironment: (_root, { input }: Given<AppKey & { readonly name: string }>) =>
        createEnvironment(service, appOf(input).name, nameOf(environmentName, input)),
      async deleteFlashApp(_root, key: AppKey) {
        await deleteApp(service, appOf(key))
        return true
      },
      async deleteFlashEnvironment(_root, key: EnvironmentKey) {
        await deleteEnvironment(service, environmentOf(key))
        return true
      },
      prepareFlashArtifactUpload(
        _root,
        { input }: Given<AppKey & { readonly tarballSize: number }>,
        { origin }: QueryContext,
      ) {
        const { id, expiresAt } = uploads.prepare(appOf(input).name, input.tarballSize)
        const path = SERVICE_ROUTES.upload.path.replace(':uploadId', id)
        return { uploadUrl: `${origin}${path}`, objectKey: id, expiresAt: time(expiresAt) }
      },
      finalizeFlashArtifactUpload(_root, { input }: Given<AppKey & { readonly objectKey: string; manifest: unknown }>) {
        const { objectKey, manifest } = input
        return { id: uploads.finish(appOf(input).name, objectKey), objectKey, manifest }
      },
      async deployBuildToEnvironment(_root, { input }: Given<EnvironmentKey & { readonly flashBuildId: string }>) {
        const environment = environmentOf(input)
        const { flashBuildId: artifact } = input
        if (!artifactName.safeParse(artifact).success) throw new AppError('ARTIFACT_NOT_FOUND', { artifact })
        refuse(await platformDeploys.activate(environment, artifact))
        return environment
      },
      async saveEndpoint(_root, { input }: Given<SavedInput>) {
        const { model, problem } = modelOf(input)
        if (problem !== undefined) throw new AppError('BAD_FIELD', { field: 'modelReferences', why: problem })
        if (typeof input.flashEnvironmentId !== 'string')
          return { ...input, ...(await savePlainEndpoint(service, input, model)) }
        const environment = environmentOf({ flashEnvironmentId: input.flashEnvironmentId })
        const saved = await platformDeploys.save(environment, input)
        refuse(saved.problem)
        return { ...input, id: saved.id, templateId: saved.id }
      },
      async deleteEndpoint(_root, { id }: { readonly id: string }) {
        await deleteEndpoint(service, requireEndpoint(service, id))
      },
      updateRegistryAuth(_root, { input }: Given<Parameters<typeof updatePlatformRegistry>[1]>, { caller }) {
        requireRoleOf(caller, 'admin')
        return updatePlatformRegistry(service, input)
      },
      secretCreate: async (_root, { input }: Given<{ name: string; value: string; description?: string | null }>) =>
        shownSecret(await createSecret(service, { ...input, description: input.description ?? '' })),
      secretDelete: (_root, { id }: { readonly id: string }) => deleteSecret(service, id),
      deployCpuPod: (_root, { input }: Given<TaskPod>) => podOf(service, input),
      podFindAndDeployOnDemand: (_root, { input }: { readonly input?: TaskPod | null }) => podOf(service, input),
      async podTerminate(_root, { input }: Given<{ readonly podId: string }>) {
        const call = findTaskCall(storage, input.podId)
        if (call === undefined) throw notFound(`pod ${input.podId}`)
        await endTaskCall(service, call)
      },
      createFlashAuthRequest: () => shownRequest(signInRequests.create()),
    },
  } satisfies Record<string, FieldResolvers>
}

async function podOf(service: PlatformServices, input: TaskPod | null | undefined) {
  if (!input) throw new AppError('BAD_FIELD', { field: 'input', why: 'is missing' })
  return { id: await beginTaskCall(service, input), desiredStatus: 'RUNNING' }
}

async function savePlainEndpoint(service: PlatformServices, input: SavedInput, model: string | undefined) {
  const { id } = input
  if (typeof id !== 'string') {
    const made = await createPlatformEndpoint(service, createOf(input), { model })
    return { id: made.id, templateId: made.id }
  }
  await updatePlatformEndpoint(service, requireEndpoint(service, id), updateOf(input), { model })
  return { id, templateId: id }
}

function requireEndpoint({ storage }: PlatformServices, id: string): Endpoint {
  const endpoint = storage.endpoints.get(id)
  if (endpoint === undefined) throw notFound(`endpoint ${id}`)
  return endpoint
}

function nameOf(schema: ZodType<string>, { name }: { readonly name: string }): string {
  const { data, error } = schema.safeParse(name)
  if (data === undefined)
    throw new AppError('BAD_FIELD', { field: 'name', why: error?.issues[0]?.message ?? 'must be a name' })
  return data
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new GraphQLError(problem)
}

const BUILDS_SHOWN = 100

function stateOf({ apps }: PlatformServices['storage'], environmentId: number): string {
  if (apps.releaseIn(environmentId, 'preparing') !== undefined) return 'DEPLOYING'
  return apps.releaseIn(environmentId, 'active') === undefined ? 'PENDING' : 'ACTIVE'
}

const notFound = (what: string) => new GraphQLError(`The ${what} was not found.`)

function found<Value>(read: () => Value, what: string): Value {
  try {
    return read()
  } catch (error) {
    if (error instanceof AppError && /^(APP|ENVIRONMENT)_NOT_FOUND$/.test(error.code)) throw notFound(what)
    throw error
  }
}

function shownRequest({ expiresAt, ...request }: { readonly expiresAt: number }) {
  return { ...request, expiresAt: time(expiresAt) }
}

function shownSecret({ name, description, createdAt }: ReturnType<typeof listSecrets>[number]) {
  return { id: name, name, description, createdAt: time(createdAt) }
}

export function passJson(schema: GraphQLSchema): void {
  const json = schema.getType('JSON')
  if (isScalarType(json)) json.parseValue = (value) => value
}
