import { buildSchema, type GraphQLSchema } from 'graphql'
import type { DeployedEndpoint } from '../../../../contract/app.ts'
import { AppError } from '../../../../contract/errors.ts'
import { limit } from '../../../../contract/limits.ts'
import { shownTo } from '../../../../http/operation.ts'
import type { App, Environment, Release } from '../../../../storage/storage.ts'
import type { FindEndpoint } from '../../../apps/environment-endpoints.ts'
import type { AppTarget } from '../../../apps/rules/app-environment.ts'
import { listVariables } from '../../../apps/variables.ts'
import { deployedEndpoints } from '../../../apps/views.ts'
import { type Caller, maySee } from '../../../keys/keys.ts'
import { PLATFORM_TYPES, type PlatformServices, passJson, platformResolvers } from './platform-schema.ts'
import { type QueryContext, withResolvers } from './resolvers.ts'

const TYPES = `
"Only what the key may see is included. Times are milliseconds since 1970."
type Query {
  apps: [App!]!
  app(name: String!): App
  environment(app: String!, name: String!): Environment
  "The endpoint of a function or class; an endpoint's own name finds it too."
  endpointFor(app: String!, environment: String!, function: String!): Endpoint
}

type App {
  name: String!
  createdAt: Float!
  environments: [Environment!]!
}

type Environment {
  app: String!
  name: String!
  createdAt: Float!
  "The release that takes traffic."
  active: Release
  "Newest first."
  releases(limit: Int! = 10): [Release!]!
  endpoints: [Endpoint!]!
  "Their names; values are never shown."
  variables: [String!]!
}

type Release {
  number: Int!
  state: String!
  fingerprint: String!
  createdAt: Float!
  activatedAt: Float
  endedAt: Float
  "Why it failed, or what ended it."
  reason: String
  rollbackOf: Int
  "JSON text. Only the account sees the values of \`env\`."
  manifest: String!
}

type Endpoint {
  id: ID!
  name: String!
  "A path, below the address by which the service is reached."
  url: String!
  "Of a load-balanced one, for programs on the machine of the service."
  hostUrl: String
  loadBalanced: Boolean!
  "Of a load-balanced one, like GET /health."
  routes: [String!]!
  functions: [String!]!
  "Its name within the app."
  resource: String!
}
`

type Resolve<Source, Arguments = unknown> = (source: Source, given: Arguments, context: QueryContext) => unknown

export function createStateSchema(service: PlatformServices, findEndpoint: FindEndpoint): GraphQLSchema {
  const { storage } = service
  const seesEnvironment = (caller: Caller) => (environment: Environment) =>
    maySee(caller, { app: environment.app, environment: environment.name })
  const environmentsOf = ({ name }: App, caller: Caller) =>
    storage.apps.environments(name).filter(seesEnvironment(caller))
  const seesApp =
    ({ role, within }: Caller) =>
    ({ name }: App) =>
      role !== undefined || within?.app === name

  const query: {
    readonly apps: Resolve<unknown>
    readonly app: Resolve<unknown, { readonly name: string }>
    readonly environment: Resolve<unknown, { readonly app: string; readonly name: string }>
    readonly endpointFor: Resolve<unknown, AppTarget & { readonly function: string }>
  } = {
    apps: (_root, _given, { caller }) => storage.apps.apps().filter(seesApp(caller)),
    app(_root, { name }, { caller }) {
      const found = storage.apps.app(name)
      return found !== undefined && seesApp(caller)(found) ? found : undefined
    },
    environment: (_root, { app, name }, { caller }) =>
      maySee(caller, { app, environment: name }) ? storage.apps.environment(app, name) : undefined,
    endpointFor(_root, { app, environment: name, function: wanted }, { caller }) {
      if (!maySee(caller, { app, environment: name })) return undefined
      const environment = storage.apps.environment(app, name)
      const found = findEndpoint({ app, environment: name, name: wanted })
      if (environment === undefined || found === undefined) return undefined
      return deployedEndpoints(service, environment).find(({ id }) => id === found.id)
    },
  }
  const app: { readonly environments: Resolve<App> } = {
    environments: (parent, _given, { caller }) => environmentsOf(parent, caller),
  }
  const environment: {
    readonly active: Resolve<Environment>
    readonly releases: Resolve<Environment, { readonly limit: number }>
    readonly endpoints: Resolve<Environment>
    readonly variables: Resolve<Environment>
  } = {
    active: ({ id }) => storage.apps.releaseIn(id, 'active'),
    releases: ({ id }, { limit: wanted }) => storage.apps.releases(id, pageOf(wanted)),
    endpoints: (parent) => deployedEndpoints(service, parent),
    variables: (parent) => listVariables(service, parent).map(({ name }) => name),
  }
  const release: { readonly manifest: Resolve<Release> } = {
    manifest: ({ manifest }, _given, { caller }) => JSON.stringify(shownTo(caller, JSON.parse(manifest))),
  }
  const endpoint: { readonly name: Resolve<DeployedEndpoint>; readonly url: Resolve<DeployedEndpoint> } = {
    name: ({ id, resource }) => storage.endpoints.get(id)?.config.name ?? resource,
    // Inside a container the service has another address than on its own machine.
    url: ({ url }) => new URL(url).pathname,
  }
  const { Query: platformQuery, ...platform } = platformResolvers(service)
  const schema = buildSchema(TYPES + PLATFORM_TYPES)
  passJson(schema)
  return withResolvers(schema, {
    ...platform,
    Query: { ...query, ...platformQuery },
    App: app,
    Environment: environment,
    Release: release,
    Endpoint: endpoint,
  })
}

function pageOf(wanted: number): number {
  const most = limit('releasesKept')
  if (wanted >= 1 && wanted <= most) return wanted
  throw new AppError('BAD_FIELD', { field: 'limit', why: `must be from 1 to ${most}` })
}
