import { X } from 'lucide-react'
import type { Manifest, ManifestResource, ManifestTask } from '../../../../src-main/contract/manifest.ts'
import type { ProjectDetail } from '../../../../src-main/contract/projects.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { SourcePosition } from './ProblemList.tsx'

export type EndpointDetailsProps = {
  readonly name: string
  readonly manifest: Manifest
  readonly calls: ProjectDetail['calls']
  readonly position: ProjectDetail['places'][string] | undefined
  readonly onClose: () => void
}

export function EndpointDetails({ name, manifest, calls, position, onClose }: EndpointDetailsProps) {
  const resource = manifest.resources[name]
  const task = manifest.tasks?.[name]
  const settings = resource !== undefined ? resourceSettings(resource) : task && taskSettings(task)
  if (settings === undefined) return null
  const calledBy = calls
    .filter(({ to }) => to === name)
    .map(({ from, functions }) => `${from}: ${functions.join(', ')}`)
  const callsOthers = calls.filter(({ from }) => from === name).map(({ to, functions }) => callText(to, functions))
  return (
    <section aria-label={`${task === undefined ? 'Endpoint' : 'Task'} ${name}`} className="flex flex-col gap-3 p-3">
      <div className="flex items-center justify-between gap-2">
        <h2 className="truncate text-section font-semibold">{name}</h2>
        <IconButton label="Show all endpoints" onClick={onClose}>
          <X />
        </IconButton>
      </div>
      {position !== undefined && <SourcePosition position={`${position.file}:${position.line}`} />}
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1">
        {settings.map((setting) => (
          <div key={setting.name} className="col-span-2 grid grid-cols-subgrid">
            <dt className="text-ink-2">{setting.name}</dt>
            <dd className="break-words">{setting.value}</dd>
          </div>
        ))}
      </dl>
      <Lines title="Answers" lines={routesOf(manifest, name)} />
      <Lines title="Calls" lines={callsOthers} />
      <Lines title="Called by" lines={calledBy} />
    </section>
  )
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <div className="flex flex-col gap-0.5">
      <h3 className="font-medium">{title}</h3>
      <ul className="font-mono text-small">
        {lines.map((line) => (
          <li key={line} className="break-words">
            {line}
          </li>
        ))}
      </ul>
    </div>
  )
}

type Setting = { readonly name: string; readonly value: string }

export function hardwareText({ gpuIds, gpuCount, instanceIds, imageName }: ManifestTask): string {
  const image = imageName === undefined ? '' : `, ${imageName}`
  if (gpuIds !== undefined && gpuIds !== '') return `${gpuCount} GPU: ${gpuIds}${image}`
  return `CPU${instanceIds?.[0] === undefined ? '' : `: ${instanceIds[0]}`}${image}`
}

export function workersText({ workersMin, workersMax }: ManifestResource): string {
  if (workersMin === workersMax) return `${workersMax} ${workersMax === 1 ? 'worker' : 'workers'}`
  return `${workersMin} to ${workersMax} workers`
}

export function routesOf(manifest: Manifest, name: string): readonly string[] {
  const resource = manifest.resources[name]
  if (resource?.is_load_balanced) return Object.keys(manifest.routes[name] ?? {})
  const { functions = [] } = resource ?? manifest.tasks?.[name] ?? {}
  return functions.flatMap((found) =>
    found.is_class ? (found.methods ?? []).map((method) => `${found.name}.${method}()`) : [`${found.name}()`],
  )
}

export function callText(endpoint: string, functions: readonly string[]): string {
  return functions.length === 1 && functions[0] === endpoint ? endpoint : `${functions.join(', ')} of ${endpoint}`
}

export function resourceSettings(resource: ManifestResource): readonly Setting[] {
  const { idleTimeout, executionTimeoutMs, maxConcurrency, scalerType, scalerValue, networkVolumes } = resource
  const scaling =
    scalerType === 'QUEUE_DELAY' ? `jobs wait at most ${scalerValue} s` : `${scalerValue} requests per worker`
  const all: readonly (Setting | undefined)[] = [
    { name: 'Kind', value: resource.is_load_balanced ? 'load-balanced: HTTP routes' : 'queue-based: jobs' },
    { name: 'Hardware', value: hardwareText(resource) },
    { name: 'Workers', value: workersText(resource) },
    { name: 'Scaling', value: scaling },
    { name: 'Idle timeout', value: `${idleTimeout} s` },
    { name: 'Execution timeout', value: executionTimeoutMs === 0 ? 'default' : `${executionTimeoutMs / 1000} s` },
    maxConcurrency > 1 ? { name: 'Concurrency', value: String(maxConcurrency) } : undefined,
    listed('Variables', Object.keys(resource.env)),
    listed('Volumes', networkVolumes.map(volumeName)),
    listed('System packages', resource.systemDependencies),
    resource.minCudaVersion === undefined ? undefined : { name: 'CUDA', value: `${resource.minCudaVersion} or newer` },
    listed('Data centers', resource.dataCenterIds ?? []),
  ]
  return all.filter((setting) => setting !== undefined)
}

export function taskSettings(task: ManifestTask): readonly Setting[] {
  const all: readonly (Setting | undefined)[] = [
    { name: 'Kind', value: 'task: each call runs on a worker of its own' },
    { name: 'Hardware', value: hardwareText(task) },
    listed('Variables', Object.keys(task.env)),
    listed('Volumes', task.networkVolumes.map(volumeName)),
    listed('System packages', task.systemDependencies),
  ]
  return all.filter((setting) => setting !== undefined)
}

const volumeName = ({ name, id }: ManifestTask['networkVolumes'][number]) => name ?? id ?? 'unnamed'

function listed(name: string, values: readonly string[]): Setting | undefined {
  return values.length === 0 ? undefined : { name, value: values.join(', ') }
}
