import { type ContainerProfile, type ContainerSettings, readCpuSpec } from '../../contract/container.ts'
import { GIB, MIB } from '../../contract/units.ts'

/** What a profile allows; `trusted` is for images that need more and say so. Source: docs/spec/targets.md, 3. */
export const PROFILES = {
  safe: { dropCapabilities: true, newPrivileges: false, readOnlyRoot: false, user: undefined },
  strict: { dropCapabilities: true, newPrivileges: false, readOnlyRoot: true, user: '65534:65534' },
  trusted: { dropCapabilities: false, newPrivileges: true, readOnlyRoot: false, user: undefined },
} as const satisfies Record<ContainerProfile, object>

/** What a container may use. Bytes. `diskBytes` undefined: no limit. */
export type ContainerLimits = {
  readonly cpus: number
  readonly memoryBytes: number
  readonly shmBytes: number
  readonly diskBytes: number | undefined
  readonly processes: number
}

/** Share of the engine's memory that a container may use by default; source: ours, the machine must go on answering. */
const MEMORY_SHARE = 0.8

/**
 * Most processes and threads of a container; source: ours, more than most programs need; torch starts some hundred
 * threads.
 */
const PROCESSES = 512
const PROCESSES_WITH_GPU = 4096

/** Size of /dev/shm: that of the engines, and with a GPU what data loaders of torch need. Source: ours. */
const SHM_BYTES = 64 * MIB
const SHM_BYTES_WITH_GPU = GIB

/**
 * The limits of a container: what its settings say, as far as the engine has it. A CPU spec like cpu3c-2-4 stands for
 * CPUs and GB of memory. Source: docs/spec/targets.md, 3.
 * @param engine - what the engine has, in CPUs and bytes
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
