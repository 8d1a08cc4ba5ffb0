import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import { platformEndpoint, platformWorkers } from '../../contract/platform.ts'
import type { TargetApp, TargetEndpoint } from '../../contract/targets.ts'
import { isLoopbackHost } from '../../lib/own-addresses.ts'
import { counted } from '../../lib/text.ts'
import type { ThereEndpoint } from './rules/plan-target.ts'
import type { TargetClient } from './target-client.ts'

const environment = z.object({
  id: z.string(),
  name: z.string(),
  state: z.string().nullish(),
  activeBuildId: z.string().nullish(),
  endpoints: z.array(z.object({ id: z.string(), name: z.string() })).nullish(),
})

export type ThereEnvironment = z.infer<typeof environment>

const app = z.object({ id: z.string(), name: z.string(), flashEnvironments: z.array(environment).nullish() })

type ThereApp = { readonly id: string; readonly environments: readonly ThereEnvironment[] }

const APP = `query ($name: String!) {
  flashAppByName(flashAppName: $name) {
    id name flashEnvironments { id name state activeBuildId endpoints { id name } }
  }
}`
const ENVIRONMENT = `query ($input: FlashEnvironmentByNameInput!) {
  flashEnvironmentByName(input: $input) { id name state activeBuildId endpoints { id name } }
}`
const ACCOUNT = 'query { myself { flashApps { name } } }'
const SECRETS = 'query { myself { secrets { name } } }'

const named = z.object({ name: z.string() })

export async function checkKey(client: TargetClient): Promise<void> {
  await client.query({ text: ACCOUNT, schema: z.object({ myself: z.object({ flashApps: z.array(named) }) }) })
}

export async function secretNames(client: TargetClient): Promise<readonly string[]> {
  const schema = z.object({ myself: z.object({ secrets: z.array(named) }) })
  const found = await client.query({ text: SECRETS, schema })
  return found?.myself.secrets.map(({ name }) => name) ?? []
}

export async function speaksDrydock(client: TargetClient): Promise<boolean> {
  try {
    const schema = z.object({ apps: z.array(named) })
    return (await client.query({ text: 'query { apps { name } }', schema })) !== undefined
  } catch (error) {
    if (error instanceof AppError && error.code === 'TARGET_REFUSED') return false
    throw error
  }
}

export async function readApp(client: TargetClient, name: string): Promise<ThereApp | undefined> {
  const schema = z.object({ flashAppByName: app.nullable() })
  const found = await client.query({ text: APP, variables: { name }, schema })
  if (!found?.flashAppByName) return undefined
  const { id, flashEnvironments } = found.flashAppByName
  return { id, environments: flashEnvironments ?? [] }
}

export async function readEnvironment(
  client: TargetClient,
  flashAppId: string,
  name: string,
): Promise<ThereEnvironment | undefined> {
  const schema = z.object({ flashEnvironmentByName: environment.nullable() })
  const found = await client.query({ text: ENVIRONMENT, variables: { input: { flashAppId, name } }, schema })
  return found?.flashEnvironmentByName ?? undefined
}

export function viewTargetApp(found: ThereApp | undefined): TargetApp {
  return {
    isThere: found !== undefined,
    environments: (found?.environments ?? []).map(({ name, state, activeBuildId, endpoints }) => ({
      name,
      state: state ?? 'UNKNOWN',
      ...(activeBuildId == null ? {} : { build: activeBuildId }),
      endpoints: (endpoints ?? []).map((one) => one.name),
    })),
  }
}

export async function readEndpoints(
  client: TargetClient,
  { endpoints }: Pick<ThereEnvironment, 'endpoints'>,
): Promise<readonly ThereEndpoint[]> {
  const found: ThereEndpoint[] = []
  for (const { id, name } of endpoints ?? []) {
    const view = await client.rest('GET', `/serverless/${encodeURIComponent(id)}`, platformEndpoint)
    // The endpoint was deleted after the list had been read.
    if (view !== undefined) found.push({ resource: name, view })
  }
  return found
}

export async function viewEndpoints(
  client: TargetClient,
  environment: Pick<ThereEnvironment, 'endpoints'>,
): Promise<readonly TargetEndpoint[]> {
  const views: TargetEndpoint[] = []
  for (const one of await readEndpoints(client, environment)) views.push(await viewEndpoint(client, one))
  return views
}

export async function viewEndpoint(client: TargetClient, { resource, view }: ThereEndpoint): Promise<TargetEndpoint> {
  const { id, type, requestUrls } = view
  const base = requestUrls.base ?? requestUrls.run?.replace(/\/run$/, '') ?? ''
  const state = await workersOf(client, id)
  return { resource, id, loadBalanced: type === 'LOAD_BALANCER', url: reachable(base, client.url), state }
}

export async function workersOf(client: TargetClient, id: string): Promise<string> {
  const found = await client.rest('GET', `/serverless/${encodeURIComponent(id)}/workers`, platformWorkers)
  const { total: _total, ...states } = found?.summary ?? { total: 0 }
  const doing = Object.entries(states).filter(([, count]) => count > 0)
  return doing.length === 0 ? 'no worker' : doing.map(([state, count]) => counted(count, state, state)).join(', ')
}

// A service behind a tunnel may only know its loopback address.
function reachable(address: string, url: string): string {
  if (!URL.canParse(address)) return address
  const { hostname, origin, pathname } = new URL(address)
  return isLoopbackHost(hostname) && origin !== new URL(url).origin ? `${url}${pathname}` : address
}
