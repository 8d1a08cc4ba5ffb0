/** A task call requests a pod; here it is a job whose worker then ends. Pure. Source: docs/spec/platform.md, 4. */
import { GPU_GROUPS } from '../../../contract/container.ts'
import { isNamed } from '../../../runtimes/rules/gpu-allocation.ts'
import type { SavedInput } from './saved-endpoint.ts'

export type TaskPod = {
  readonly name: string
  readonly imageName: string
  readonly dockerArgs?: string | null
  readonly containerDiskInGb?: number | null
  readonly containerRegistryAuthId?: string | null
  readonly env?: readonly { readonly key: string; readonly value: string }[] | null
  readonly instanceId?: string | null
  readonly gpuTypeIdList?: readonly string[] | null
  readonly gpuCount?: number | null
  readonly volumeMounts?: readonly { readonly volumeId: string; readonly volumeType?: string | null }[] | null
}

const TOKEN = 'RUNPOD_TASK_TOKEN'
// For a single call, or for the program that answers it there.
const NOT_FOR_WORKERS: ReadonlySet<string> = new Set([TOKEN, 'RUNPOD_TASK_PORT'])

export const tokenOf = ({ env }: TaskPod): string | undefined => env?.find(({ key }) => key === TOKEN)?.value

export function taskEndpoint(pod: TaskPod, atOnce: number): SavedInput {
  const { instanceId, gpuTypeIdList, volumeMounts } = pod
  const volumes = (volumeMounts ?? []).filter(({ volumeType }) => volumeType !== 'OBJECT_STORE_VOLUME')
  return {
    name: pod.name.replace(/-[0-9a-f]{8}$/, ''), // the package adds it, to distinguish pods
    type: 'QB',
    workersMin: 0,
    workersMax: atOnce,
    idleTimeout: 1,
    scalerType: 'REQUEST_COUNT',
    scalerValue: 1,
    executionTimeoutMs: 0,
    instanceIds: instanceId ? [instanceId] : null,
    gpuIds: gpuTypeIdList ? groupsOf(gpuTypeIdList).join(',') : null,
    gpuCount: pod.gpuCount ?? null,
    networkVolumeIds: volumes.map(({ volumeId }) => ({ networkVolumeId: volumeId })),
    template: {
      imageName: pod.imageName,
      dockerArgs: pod.dockerArgs ?? null,
      containerDiskInGb: pod.containerDiskInGb ?? null,
      containerRegistryAuthId: pod.containerRegistryAuthId ?? null,
      env: (pod.env ?? []).filter(({ key }) => !NOT_FOR_WORKERS.has(key)),
    },
  }
}

// The package lists every device of a group, or all devices for any GPU.
function groupsOf(devices: readonly string[]): readonly string[] {
  const groups = Object.entries(GPU_GROUPS).filter(([, { models }]) =>
    models.some((model) => devices.some((name) => isNamed({ name }, model))),
  )
  return groups.length === 0 ? devices : groups.map(([name]) => name)
}
