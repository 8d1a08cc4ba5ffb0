import type { PlannedStep } from '../../../contract/app.ts'
import type { Manifest, ManifestResource } from '../../../contract/manifest.ts'
import type { PlatformEndpoint, PlatformEndpointUpdate } from '../../../contract/platform.ts'
import { SET_BY_SERVICE } from '../../platform-api/rules/manifest.ts'
import { type SavedInput, updateOf } from '../../platform-api/rules/saved-endpoint.ts'
import { SECRET_REFERENCE } from '../../platform-api/rules/secret-reference.ts'

export type SavePlace = {
  readonly environmentId: string
  readonly environment: string
  readonly build: string
  readonly pythonVersion: string
  readonly key: string | undefined
}

const KEY_VARIABLE = 'RUNPOD_API_KEY'
// Variables for account keys, of the platform and ours.
const KEY_VARIABLES: readonly string[] = [KEY_VARIABLE, 'SVC_API_KEY']
// Channel of the platform's runtime images. Source: the public package runpod 2.0, its default.
const CHANNEL = 'latest'
const PORT = '80'

export const scalingOf = (resource: ManifestResource) => ({
  workersMin: resource.workersMin,
  workersMax: resource.workersMax,
  idleTimeout: resource.idleTimeout,
  scalerType: resource.scalerType,
  scalerValue: Math.max(1, Math.round(resource.scalerValue)),
  executionTimeoutMs: resource.executionTimeoutMs,
})

/** As the platform's tools save it. Source: docs/spec/platform.md, 8. */
export function saveInputOf(name: string, resource: ManifestResource, place: SavePlace): SavedInput {
  const { is_load_balanced: isApi, gpuIds, instanceIds, minCudaVersion, dataCenterIds, model } = resource
  const kind = isApi ? 'api' : 'queue'
  const runtime = `runpod/${kind}${gpuIds === undefined ? '' : '-gpu'}:py${place.pythonVersion}-${CHANNEL}`
  const cards = gpuIds === undefined ? {} : { gpuIds, gpuCount: resource.gpuCount }
  return {
    name,
    flashEnvironmentId: place.environmentId,
    type: isApi ? 'LB' : 'QB',
    ...scalingOf(resource),
    flashBootType: resource.flashboot === false ? 'OFF' : 'FLASHBOOT',
    ...(dataCenterIds === undefined ? {} : { locations: dataCenterIds.join(',') }),
    ...cards,
    ...(gpuIds === undefined || minCudaVersion === undefined ? {} : { minCudaVersion }),
    ...(instanceIds === undefined ? {} : { instanceIds }),
    ...(model === undefined ? {} : { modelReferences: [model] }),
    template: { imageName: resource.imageName ?? runtime, env: envOf(name, resource, place) },
  }
}

function envOf(name: string, resource: ManifestResource, { environment, build, key }: SavePlace) {
  const env = {
    ...resource.env,
    FLASH_RESOURCE_NAME: name,
    FLASH_ENVIRONMENT: environment,
    RUNPOD_BUILD_ID: build,
    RUNPOD_MAX_CONCURRENCY: String(resource.maxConcurrency),
    ...(resource.is_load_balanced ? { PORT, PORT_HEALTH: PORT } : {}),
    ...(resource.makesRemoteCalls && key !== undefined ? { [KEY_VARIABLE]: key } : {}),
  }
  return Object.entries(env).map(([variable, value]) => ({ key: variable, value }))
}

/** An app variable that would give workers an account key; undefined: none. */
export function keyInApp(
  { resources }: Pick<Manifest, 'resources'>,
  key: string,
): { readonly endpoint: string; readonly variable: string } | undefined {
  for (const [endpoint, { env }] of Object.entries(resources)) {
    const carries = ([variable, value]: [string, string]) => KEY_VARIABLES.includes(variable) || value.includes(key)
    const variable = Object.entries(env).find(carries)?.[0]
    if (variable !== undefined) return { endpoint, variable }
  }
  return undefined
}

export function secretsOf({ resources }: Pick<Manifest, 'resources'>): readonly string[] {
  const texts = Object.values(resources).flatMap(({ env }) => Object.values(env))
  return [...new Set(texts.flatMap((text) => [...text.matchAll(SECRET_REFERENCE)].map(([, name = '']) => name)))]
}

export type ThereEndpoint = { readonly resource: string; readonly view: PlatformEndpoint }

export function planTarget(
  there: readonly ThereEndpoint[],
  saves: ReadonlyMap<string, SavedInput>,
  code: { readonly from: string | undefined; readonly to: string },
): readonly PlannedStep[] {
  const steps = [...saves].map(([resource, save]): PlannedStep => {
    const before = there.find((endpoint) => endpoint.resource === resource)?.view
    if (before === undefined) return { resource, action: 'create', changes: [], replacesWorkers: false }
    const codeChange =
      code.from === code.to ? [] : [{ setting: 'code', from: code.from?.slice(0, SHOWN), to: code.to.slice(0, SHOWN) }]
    const changes = [...codeChange, ...changedSettings(before, updateOf(save))]
    return {
      resource,
      action: changes.length === 0 ? 'unchanged' : 'update',
      endpointId: before.id,
      changes,
      replacesWorkers: changes.some(({ setting }) => /^(?:code|image|env\.|gpu|cpu)/.test(setting)),
    }
  })
  const gone = there.filter(({ resource }) => !saves.has(resource))
  return [
    ...steps,
    ...gone.map(
      ({ resource, view: { id } }): PlannedStep => ({
        resource,
        action: 'delete',
        endpointId: id,
        changes: [],
        replacesWorkers: false,
      }),
    ),
  ]
}

const SHOWN = 12

type Change = PlannedStep['changes'][number]

// Fields that a target omits, like GPUs on a machine without any, cannot be compared.
function changedSettings(before: PlatformEndpoint, { workers, scaling, env, ...after }: PlatformEndpointUpdate) {
  const ids = (cpu: readonly { readonly id: string; readonly vcpuCount: number }[] | undefined) =>
    cpu?.map(({ id, vcpuCount }) => `${id}-${vcpuCount}`).join(',')
  const numberOf = (scaler: PlatformEndpoint['scaling'] | undefined) =>
    scaler === undefined ? undefined : scaler.type === 'QUEUE_DELAY' ? scaler.queueDelay : scaler.requestCount
  const pairs: readonly (readonly [setting: string, from: unknown, to: unknown])[] = [
    ['workersMin', before.workers.min, workers?.min],
    ['workersMax', before.workers.max, workers?.max],
    ['idleTimeout', before.workers.idleTimeout, workers?.idleTimeout],
    ['scalerType', before.scaling.type, scaling?.type],
    ['scalerValue', numberOf(before.scaling), numberOf(scaling)],
    // 0 is the target's default, which it reports as a number.
    ['executionTimeoutMs', before.timeout, after.timeout || undefined],
    ['gpu', before.gpu?.pools.join(','), before.gpu === null ? undefined : after.gpu?.pools?.join(',')],
    ['cpu', ids(before.cpu), before.cpu === undefined ? undefined : ids(after.cpu)],
  ]
  const changed = pairs
    .filter(([, from, to]) => to !== undefined && from !== to)
    .map(([setting, from, to]): Change => ({ setting, from, to }))
  return [...changed, ...changedVariables(before.env, env ?? {})]
}

// Values may be secret, so only the change is shown. Location variables belong to the code.
function changedVariables(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): Change[] {
  return Object.entries(after)
    .filter(([name, value]) => !SET_BY_SERVICE.has(name) && before[name] !== value)
    .map(([name]) => ({
      setting: `env.${name}`,
      ...(before[name] === undefined ? {} : { from: '(hidden)' }),
      to: '(hidden)',
    }))
}
