import { type ContainerProfile, type ContainerSettings, readCpuSpec } from '../../../contract/container.ts'
import { GIB, MIB } from '../../../lib/units.ts'

/** `trusted` is for images that need more. Source: docs/spec/targets.md, 3. */
export const PROFILES = {
  safe: { dropCapabilities: true, newPrivileges: false, readOnlyRoot: false, user: undefined },
  strict: { dropCapabilities: true, newPrivileges: false, readOnlyRoot: true, user: '65534:65534' },
  trusted: { dropCapabilities: false, newPrivileges: true, readOnlyRoot: false, user: undefined },
} as const satisfies Record<ContainerProfile, object>

/** Bytes; `diskBytes` undefined: no limit. */
export type ContainerLimits = {
  readonly cpus: number
  readonly memoryBytes: number
  readonly shmBytes: number
  readonly diskBytes: number | undefined
  readonly processes: number
}

/** Default share of the engine's memory; source: ours, the machine must stay responsive. */
const MEMORY_SHARE = 0.8

/** Most processes and threads; source: ours, torch starts some hundred threads. */
const PROCESSES = 512
const PROCESSES_WITH_GPU = 4096

/** /dev/shm: the engines' default, and with a GPU enough for torch's data loaders. Source: ours. */
const SHM_BYTES = 64 * MIB
const SHM_BYTES_WITH_GPU = GIB

/**
 * Caps settings at the engine's capacity; specs like cpu3c-2-4 mean CPUs and GB. Source: docs/spec/targets.md, 3.
 * @param engine in CPUs and bytes
 */
export function containerLimits(
  settings: Pick<ContainerSettings, 'cpu' | 'memoryBytes' | 'shmBytes' | 'diskBytes' | 'gpu'>,
  engine: { readonly cpus: number; readonly memoryBytes: number },
): ContainerLimits {
  const spec = settings.cpu === undefined ? undefined : readCpuSpec(settings.cpu)
  const hasGpu = settings.gpu !== undefined
  const wanted = settings.memoryBytes ?? spec?.memoryBytes ?? Math.floor(engine.memoryBytes * MEMORY_SHARE)
  return {
    cpus: Math.min(spec?.cpus ?? engine.cpus, engine.cpus),
    memoryBytes: engine.memoryBytes > 0 ? Math.min(wanted, engine.memoryBytes) : wanted,
    shmBytes: settings.shmBytes ?? (hasGpu ? SHM_BYTES_WITH_GPU : SHM_BYTES),
    diskBytes: settings.diskBytes,
    processes: hasGpu ? PROCESSES_WITH_GPU : PROCESSES,
  }
}
