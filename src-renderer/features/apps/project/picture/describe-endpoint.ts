import type { Manifest, ManifestResource } from '../../../../../src-main/contract/manifest.ts'

/** A setting of an endpoint with its value, as people read it. */
export type Setting = { readonly name: string; readonly value: string }

/** What an endpoint runs on, in few words. */
export function hardwareText({ gpuIds, gpuCount, instanceIds, imageName }: ManifestResource): string {
  const image = imageName === undefined ? '' : `, ${imageName}`
  if (gpuIds !== undefined && gpuIds !== '') return `${gpuCount} GPU: ${gpuIds}${image}`
  return `CPU${instanceIds?.[0] === undefined ? '' : `: ${instanceIds[0]}`}${image}`
}

/** How many workers an endpoint has. */
export function workersText({ workersMin, workersMax }: ManifestResource): string {
  if (workersMin === workersMax) return `${workersMax} ${workersMax === 1 ? 'worker' : 'workers'}`
  return `${workersMin} to ${workersMax} workers`
}

/** What an endpoint answers: routes of a load-balanced one, else functions; methods of a class are named with it. */
export function answersOf(manifest: Manifest, name: string): readonly string[] {
  const resource = manifest.resources[name]
  if (resource === undefined) return []
  if (resource.is_load_balanced) return Object.keys(manifest.routes[name] ?? {})
  return resource.functions.flatMap((found) =>
    found.is_class ? (found.methods ?? []).map((method) => `${found.name}.${method}()`) : [`${found.name}()`],
  )
}

/** What is called of an endpoint; a function of the same name is not said twice. */
export function callText(endpoint: string, functions: readonly string[]): string {
  return functions.length === 1 && functions[0] === endpoint ? endpoint : `${functions.join(', ')} of ${endpoint}`
}

/** The settings that matter, in order. */
export function settingsOf(resource: ManifestResource): readonly Setting[] {
  const { idleTimeout, executionTimeoutMs, maxConcurrency, scalerType, scalerValue, networkVolumes } = resource
  const volumes = networkVolumes.map(({ name, id }) => name ?? id ?? 'unnamed')
  const scaling =
    scalerType === 'QUEUE_DELAY' ? `jobs wait at most ${scalerValue} s` : `${scalerValue} requests a worker`
  const all: readonly (Setting | undefined)[] = [
    { name: 'Kind', value: resource.is_load_balanced ? 'load-balanced: HTTP routes' : 'queue-based: jobs' },
    { name: 'Hardware', value: hardwareText(resource) },
    { name: 'Workers', value: workersText(resource) },
    { name: 'Scaling', value: scaling },
    { name: 'Idle timeout', value: `${idleTimeout} s` },
    { name: 'Execution timeout', value: executionTimeoutMs === 0 ? 'default' : `${executionTimeoutMs / 1000} s` },
    maxConcurrency > 1 ? { name: 'Concurrency', value: String(maxConcurrency) } : undefined,
    listed('Variables', Object.keys(resource.env)),
    listed('Volumes', volumes),
    listed('System packages', resource.systemDependencies),
    resource.minCudaVersion === undefined ? undefined : { name: 'CUDA', value: `${resource.minCudaVersion} or newer` },
    listed('Data centers', resource.dataCenterIds ?? []),
  ]
  return all.filter((setting) => setting !== undefined)
}

function listed(name: string, values: readonly string[]): Setting | undefined {
  return values.length === 0 ? undefined : { name, value: values.join(', ') }
}
