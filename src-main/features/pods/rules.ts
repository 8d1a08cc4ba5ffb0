import { type ContainerSettings, containerSettings } from '../../contract/container.ts'
import type { Pod, PodFields, PodState } from '../../contract/pods.ts'
import { withoutUndefined } from '../../lib/json/plain.ts'
import { LOOPBACK } from '../../lib/own-addresses.ts'
import { splitWords } from '../../lib/text.ts'
import { GIB } from '../../lib/units.ts'

export type PodSettings = {
  readonly image: string
  readonly args: readonly string[]
  readonly entrypoint: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly ports: readonly string[]
  readonly diskGb: number
  readonly registry: string | null
  readonly pools: readonly string[]
  readonly gpuCount: number
  readonly volumeGb: number
  readonly mountPath: string
  readonly networkVolume: string | null
  readonly templateId: string | null
}

/** Sizes are the platform's defaults, in GB. */
export const POD_DEFAULTS: Omit<PodSettings, 'image'> = {
  ...{ args: [], entrypoint: [], env: {}, ports: [], diskGb: 50, registry: null, pools: [], gpuCount: 0 },
  ...{ volumeGb: 20, mountPath: '/workspace', networkVolume: null, templateId: null },
}

type Problem = { readonly field: string; readonly why: string }

export function settingsIn(fields: PodFields): Partial<PodSettings> | { readonly problem: Problem } {
  const { env, gpu, computeType, gpuTypeIds, mounts, volumeInGb } = fields
  const [network] = mounts?.network ?? []
  const cmd = fields.cmd ?? fields.dockerStartCmd
  const args = cmd ?? (fields.args === undefined ? undefined : splitWords(fields.args))
  if (fields.args !== undefined && args === undefined)
    return { problem: { field: 'args', why: 'has an unclosed quotation mark' } }
  const ports = fields.ports?.map((port) => Number.parseInt(port, 10))
  if (ports?.some((port) => port < 1 || port > 65_535))
    return { problem: { field: 'ports', why: 'must be from 1 to 65535' } }
  const pools = gpu?.pools ?? (gpu?.id === undefined ? gpuTypeIds : [gpu.id])
  const isWithoutGpu = computeType === 'CPU' || gpu === null
  const gpuCount = isWithoutGpu ? 0 : (gpu?.count ?? fields.gpuCount ?? (pools || gpu ? 1 : undefined))
  return withoutUndefined({
    image: fields.image ?? fields.imageName,
    args,
    entrypoint: fields.entrypoint ?? fields.dockerEntrypoint,
    env,
    ports: fields.ports,
    diskGb: fields.disk ?? fields.containerDiskInGb,
    registry: fields.registry === undefined ? fields.containerRegistryAuthId : fields.registry,
    pools,
    gpuCount,
    volumeGb: volumeInGb ?? mounts?.persistent?.size,
    mountPath: mounts?.persistent?.path ?? network?.path ?? fields.volumeMountPath,
    networkVolume: networkVolumeIn(fields),
  })
}

function networkVolumeIn({ mounts, networkVolumes, networkVolumeId }: PodFields): string | null | undefined {
  if (mounts?.network !== undefined) return mounts.network[0]?.volumeId ?? null
  return networkVolumes === undefined ? networkVolumeId : (networkVolumes[0] ?? null)
}

export function gpuSettingOf({ pools, gpuCount }: PodSettings): string | undefined {
  if (gpuCount === 0) return undefined
  const text = pools.join(',')
  return text === '' || text.length > LONGEST_GPU_SETTING ? 'ANY' : text
}

const LONGEST_GPU_SETTING = 200

// Those that package managers and SSH servers need to change owners and users; none for devices or raw sockets.
const CAPABILITIES = [
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'NET_BIND_SERVICE'],
  ...['SETGID', 'SETUID', 'SYS_CHROOT'],
]

export function containerOf(
  settings: PodSettings,
  { gpu, folder }: { readonly gpu: string | undefined; readonly folder: string | undefined },
): ContainerSettings {
  const { image, args, entrypoint, ports, registry, diskGb, gpuCount, mountPath } = settings
  return containerSettings.parse({
    image,
    ...(args.length === 0 ? {} : { args }),
    ...(entrypoint.length === 0 ? {} : { entrypoint }),
    ...(registry === null ? {} : { registryAuth: registry }),
    ...(gpu === undefined ? {} : { gpu, gpuCount }),
    ports: [...new Set(ports.map((port) => Number.parseInt(port, 10)))],
    diskBytes: diskGb * GIB,
    volumes: folder === undefined ? [] : [{ source: folder, target: mountPath }],
    capabilities: CAPABILITIES,
  })
}

export const ownVolumeOf = ({ volumeGb, networkVolume, mountPath }: PodSettings): string | undefined =>
  volumeGb === 0 || networkVolume !== null ? undefined : mountPath

/** `reason` is why the last start failed. */
export type PodRow = {
  readonly id: string
  readonly name: string
  readonly settings: PodSettings
  readonly wanted: 'RUNNING' | 'EXITED'
  readonly reason: string | undefined
  readonly createdAt: number
}

export type PodFacts = {
  readonly state: PodState | undefined
  readonly progress: string | undefined
  /** Why the engine is unavailable. */
  readonly away: string | undefined
  /** Wall ms. */
  readonly now: number
}

export function statusOf(
  { wanted, reason }: Pick<PodRow, 'wanted' | 'reason'>,
  { state, progress, away }: Omit<PodFacts, 'now'>,
): Pick<Pod, 'status' | 'statusReason'> {
  if (progress !== undefined) return { status: 'STARTING', statusReason: progress }
  if (state?.isRunning) return { status: 'RUNNING', statusReason: null }
  const why = away ?? reason ?? (wanted === 'EXITED' ? 'it was stopped' : endOf(state))
  return { status: 'EXITED', statusReason: why }
}

function endOf(state: PodState | undefined): string {
  if (state?.exit === undefined)
    return 'it has no container: it was removed, or the service ended before making it. Start the pod again'
  const { code, signal, reason } = state.exit
  return (
    reason ?? (signal === undefined ? `its program ended with code ${code ?? 0}` : `its program ended by ${signal}`)
  )
}

const timeText = (at: number) => new Date(at).toISOString()

export function viewPod(row: PodRow, facts: PodFacts): Pod {
  const { id, name, createdAt, settings } = row
  const { image, args, entrypoint, env, ports, diskGb, registry, pools, gpuCount, mountPath, networkVolume } = settings
  const { status, statusReason } = statusOf(row, facts)
  const size = ownVolumeOf(settings) === undefined ? 0 : settings.volumeGb
  const portMappings = status === 'RUNNING' ? { ...facts.state?.ports } : {}
  const uptime =
    status === 'RUNNING' ? Math.max(0, Math.floor((facts.now - (facts.state?.startedAt ?? facts.now)) / 1000)) : null
  const mounts = {
    ...(size === 0 ? {} : { persistent: { size, path: mountPath } }),
    ...(networkVolume === null ? {} : { network: [{ volumeId: networkVolume, path: mountPath }] }),
  }
  const gpuId = gpuCount === 0 ? null : (pools[0] ?? 'ANY')
  return {
    ...{ id, name, status, statusReason, desiredStatus: status === 'EXITED' ? status : 'RUNNING' },
    ...{ image, imageName: image, args: args.join(' '), templateId: settings.templateId ?? null },
    ...{ cmd: [...args], dockerStartCmd: [...args], entrypoint: [...entrypoint], dockerEntrypoint: [...entrypoint] },
    ...{ env: { ...env }, ports: [...ports], publicIp: LOOPBACK },
    portMappings,
    runtime: uptime === null ? null : { uptime, ports: runtimePorts(ports, portMappings) },
    uptimeSeconds: uptime,
    ...{ disk: diskGb, containerDiskInGb: diskGb, registry, containerRegistryAuthId: registry },
    ...{ gpu: gpuId === null ? null : { id: gpuId, pools: [...pools], count: gpuCount }, gpuTypeId: gpuId, gpuCount },
    ...{ mounts, volumeInGb: size, volumeEncrypted: false, interruptible: false, locked: false },
    ...{ volumeMountPath: mountPath, networkVolumeId: networkVolume },
    networkVolumes: networkVolume === null ? [] : [networkVolume],
    ...{ cost: 0, costPerHr: 0, adjustedCostPerHr: 0 },
    createdAt: timeText(createdAt),
    lastStartedAt: facts.state === undefined ? null : timeText(facts.state.startedAt),
  }
}

function runtimePorts(ports: PodSettings['ports'], mappings: Pod['portMappings']) {
  return ports.flatMap((port) => {
    const [inside = '', type] = port.split('/')
    const outside = mappings[inside]
    if (outside === undefined) return []
    return [
      {
        ip: LOOPBACK,
        private: Number(inside),
        public: outside,
        type: type === 'http' ? ('http' as const) : ('tcp' as const),
      },
    ]
  })
}

export function addressesOf({
  ports,
  portMappings,
  publicIp,
}: Pick<Pod, 'ports' | 'portMappings' | 'publicIp'>): readonly {
  readonly port: string
  readonly text: string
  readonly isLink: boolean
}[] {
  return ports.flatMap((port) => {
    const [inside = '', protocol] = port.split('/')
    const outside = portMappings[inside]
    if (outside === undefined) return []
    const at = `${publicIp}:${outside}`
    const isLink = protocol === 'http'
    return [{ port, text: isLink ? `http://${at}` : at, isLink }]
  })
}
