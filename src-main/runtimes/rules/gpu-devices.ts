/**
 * GPU access depends on the engine: NVIDIA runtime (environment), driver `nvidia` (ids), CDI (names; Docker since 28.2,
 * Podman's only way), or Windows (all or none). Source: Docker engine API; NVIDIA Container Toolkit; Podman issues
 * 19338, 25171; CUDA on WSL.
 */
import { isRecord } from '../../lib/json/plain.ts'
import type { Gpu } from './gpu-list.ts'

export type EngineInfo = Readonly<Record<string, unknown>>

export type DeviceRequest = {
  readonly Driver: 'nvidia' | 'cdi'
  readonly Count?: number
  readonly DeviceIDs?: string[]
  readonly Capabilities?: string[][]
}

/** Additional container options. `env` must override image and user. */
export type GpuDevices = {
  readonly hostConfig: { readonly DeviceRequests?: DeviceRequest[]; readonly Runtime?: string }
  readonly env: Readonly<Record<string, string>>
}

export type GpuAccess = 'default runtime' | 'nvidia driver' | 'cdi'

export type NoGpuAccess = { readonly reason: string; readonly fix: string }

const CDI_KIND = 'nvidia.com/gpu='
const GPU_CAPABILITY = [['gpu']]

// First versions with CDI names in the API, and the first Docker that lists the devices.
const PODMAN_WITH_CDI = '5.4'
const DOCKER_WITH_CDI = '25.0'
const DOCKER_LISTS_CDI = '28.2'

const GUIDE = 'https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html'
export const INSTALL_TOOLKIT = `Install the NVIDIA Container Toolkit (${GUIDE}), run \`sudo nvidia-ctk runtime configure --runtime=docker\`, and restart Docker.`
const WRITE_CDI = 'Run `sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml`.'

/** @param hookInstalled nvidia-container-runtime-hook is on this machine, where the engine finds it unreported */
export function gpuAccess(info: EngineInfo, hookInstalled = false): GpuAccess | NoGpuAccess {
  const version = String(info.ServerVersion ?? '')
  if (isPodman(info)) {
    if (!isOlder(version, PODMAN_WITH_CDI)) return 'cdi'
    const reason = `Podman ${version} does not accept requests for GPUs from other programs`
    return { reason, fix: `Update Podman to ${PODMAN_WITH_CDI} or later.` }
  }
  if (info.DefaultRuntime === 'nvidia') return 'default runtime'
  if (isRecord(info.Runtimes) && Object.hasOwn(info.Runtimes, 'nvidia')) return 'nvidia driver'
  if (hasCdi(info, version)) return 'cdi'
  if (hookInstalled) return 'nvidia driver'
  return { reason: 'the engine has no NVIDIA runtime: install the NVIDIA Container Toolkit', fix: INSTALL_TOOLKIT }
}

/**
 * Grants only the worker's GPUs.
 * @param machine all GPUs of the machine
 */
export function gpuDevices(
  info: EngineInfo,
  cards: readonly Pick<Gpu, 'id' | 'index'>[],
  machine: readonly Pick<Gpu, 'id'>[],
  hookInstalled = false,
): GpuDevices | NoGpuAccess {
  const access = gpuAccess(info, hookInstalled)
  if (typeof access === 'object') return access
  const ids = cards.map(({ id }) => id)
  if (isUnderWindows(info)) return allButNamed(access, ids, machine.length)
  switch (access) {
    case 'default runtime':
      return { hostConfig: { Runtime: 'nvidia' }, env: { NVIDIA_VISIBLE_DEVICES: ids.join(',') } }
    case 'nvidia driver':
      return {
        hostConfig: { DeviceRequests: [{ Driver: 'nvidia', DeviceIDs: ids, Capabilities: GPU_CAPABILITY }] },
        env: {},
      }
    case 'cdi':
      return cdiDevices(info, cards, machine.length)
  }
}

/** Environment without GPUs. If NVIDIA's runtime is the default, images like CUDA's would otherwise get all. */
export function withoutGpus(info: EngineInfo): Readonly<Record<string, string>> {
  return info.DefaultRuntime === 'nvidia' ? { NVIDIA_VISIBLE_DEVICES: 'void' } : {}
}

function allButNamed(access: GpuAccess, ids: readonly string[], machineHas: number): GpuDevices {
  const env = ids.length < machineHas ? { CUDA_VISIBLE_DEVICES: ids.join(',') } : {}
  if (access === 'default runtime')
    return { hostConfig: { Runtime: 'nvidia' }, env: { ...env, NVIDIA_VISIBLE_DEVICES: 'all' } }
  const request =
    access === 'cdi' ? cdiRequest(['all']) : ({ Driver: 'nvidia', Count: -1, Capabilities: GPU_CAPABILITY } as const)
  return { hostConfig: { DeviceRequests: [request] }, env }
}

// By id if listed, because an index may change with the hardware.
function cdiDevices(
  info: EngineInfo,
  cards: readonly Pick<Gpu, 'id' | 'index'>[],
  machineHas: number,
): GpuDevices | NoGpuAccess {
  const listed = cdiNames(info)
  if (listed.length === 0) return { hostConfig: { DeviceRequests: [cdiRequest(cards.map(({ id }) => id))] }, env: {} }
  const names = cards.map(({ id, index }) => [id, String(index)].find((name) => listed.includes(name)))
  const known = names.filter((name) => name !== undefined)
  if (known.length === names.length) return { hostConfig: { DeviceRequests: [cdiRequest(known)] }, env: {} }
  if (cards.length === machineHas && listed.includes('all'))
    return { hostConfig: { DeviceRequests: [cdiRequest(['all'])] }, env: {} }
  const missing = cards.filter((_, at) => names[at] === undefined).map(({ id }) => id)
  return { reason: `the engine does not know the GPU ${missing.join(', ')} (CDI)`, fix: WRITE_CDI }
}

function cdiRequest(names: readonly string[]): DeviceRequest {
  return { Driver: 'cdi', DeviceIDs: names.map((name) => `${CDI_KIND}${name}`) }
}

function cdiNames({ DiscoveredDevices }: EngineInfo): readonly string[] {
  if (!Array.isArray(DiscoveredDevices)) return []
  return DiscoveredDevices.flatMap((device: unknown) => {
    const id = isRecord(device) ? String(device.ID ?? '') : ''
    return id.startsWith(CDI_KIND) ? [id.slice(CDI_KIND.length)] : []
  })
}

function hasCdi(info: EngineInfo, version: string): boolean {
  const folders = Array.isArray(info.CDISpecDirs) ? info.CDISpecDirs.length : 0
  if (folders === 0 || isOlder(version, DOCKER_WITH_CDI)) return false
  return cdiNames(info).length > 0 || isOlder(version, DOCKER_LISTS_CDI)
}

// Only Podman reports the program that builds its images.
const isPodman = (info: EngineInfo) => info.BuildahVersion !== undefined

const isUnderWindows = ({ KernelVersion }: EngineInfo) => /microsoft/i.test(String(KernelVersion ?? ''))

/** Toolkit versions with container escapes. Source: NVIDIA, security bulletins. */
const TOOLKIT_ESCAPES = [
  { cve: 'CVE-2024-0132', mendedIn: '1.16.2' },
  { cve: 'CVE-2025-23359', mendedIn: '1.17.4' },
  { cve: 'CVE-2025-23266', mendedIn: '1.17.8' },
] as const

export const SAFE_TOOLKIT = '1.17.8'

export function toolkitEscapes(version: string): readonly string[] {
  return TOOLKIT_ESCAPES.filter(({ mendedIn }) => isOlder(version, mendedIn)).map(({ cve }) => cve)
}

/**
 * Ignores suffixes such as -rc.1 or +dfsg1.
 * @returns false for a text that is not a version, so that nobody is warned without cause
 */
export function isOlder(version: string, than: string): boolean {
  const own = numbers(version)
  if (own.length === 0) return false
  const other = numbers(than)
  const at = other.findIndex((part, index) => part !== (own[index] ?? 0))
  return at >= 0 && (own[at] ?? 0) < (other[at] ?? 0)
}

function numbers(version: string): readonly number[] {
  const [dotted] = /^\d+(\.\d+)*/.exec(version.trim().replace(/^v/, '')) ?? []
  return dotted === undefined ? [] : dotted.split('.').map(Number)
}
