import type { MachineFacts } from '../../contract/machines.ts'
import type { TestWatch } from '../../features/machines/ports.ts'
import { containerUsage } from '../../features/workers/rules/usage.ts'
import type { Clock } from '../../lib/clock.ts'
import { present } from '../../lib/json/plain.ts'
import { MINUTE_MS } from '../../lib/units.ts'
import type { Connected } from '../docker/engine.ts'
import type { Fleet } from '../port.ts'
import { cardsText } from '../rules/gpu-list.ts'

type Docker = Connected['docker']

export async function factsOfEngine({ containerHost: host }: Pick<Fleet, 'containerHost'>): Promise<MachineFacts> {
  const engine = await host?.engine()
  if (host === undefined || engine?.state !== 'connected') throw new Error(engine?.reason ?? 'it has no engine')
  const [{ inventory, holds }, images] = await Promise.all([host.gpus(false), host.images()])
  const { info = {} } = engine
  return {
    engine: engine.version ?? 'unknown',
    ...(typeof info.OperatingSystem === 'string' ? { system: info.OperatingSystem } : {}),
    cpus: Number(info.NCPU ?? 0),
    memoryBytes: Number(info.MemTotal ?? 0),
    cards: inventory.cards.map(({ id, name, memoryBytes }) => ({
      name,
      ...(memoryBytes === undefined ? {} : { memoryBytes }),
      used: holds.filter(({ gpuId }) => gpuId === id).length,
    })),
    ...(inventory.fault === undefined ? {} : { cardFault: inventory.fault }),
    images: images.map(({ name, bytes }) => ({ name, bytes })),
  }
}

// Age of slow Docker figures before a re-read, ms; source: ours: disk usage walks all volumes, CPU takes a second.
const DISK_MS = MINUTE_MS
const CPUS_MS = 10_000
// Containers whose CPU is counted, one request each; more are not reported. Source: ours.
const MAX_COUNTED = 100

const NOT_TOLD = 'Docker reports neither the load of its machine nor its free disk space'

export function createEngineUse(clock: Pick<Clock, 'steady'>) {
  const disk = createSlowFigure(clock, DISK_MS, diskOf)
  const cpus = createSlowFigure(clock, CPUS_MS, cpusUsedOf)
  return {
    disk,
    cpus,
    of(docker: Docker): Pick<MachineFacts, 'dockerDiskBytes' | 'cpusUsed' | 'unknown'> {
      const [dockerDiskBytes, cpusUsed] = [disk(docker), cpus(docker)]
      return {
        ...present({ dockerDiskBytes, cpusUsed }),
        unknown: NOT_TOLD,
      }
    },
  }
}

function createSlowFigure(
  clock: Pick<Clock, 'steady'>,
  keptMs: number,
  read: (docker: Docker) => Promise<number | undefined>,
) {
  let known: number | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let isReading = false
  return (docker: Docker): number | undefined => {
    if (!isReading && clock.steady() - readAt >= keptMs) {
      isReading = true
      read(docker)
        .catch(() => undefined)
        .then((figure) => {
          known = figure
          readAt = clock.steady()
          isReading = false
        })
    }
    return known
  }
}

/** Docker's own disk usage, in bytes. Source: Docker's API, system data usage. */
async function diskOf(docker: Docker): Promise<number | undefined> {
  const { LayersSize, Containers, Volumes, BuildCache }: DiskReport = await docker.df()
  if (LayersSize === undefined) return undefined
  const volumes = (Volumes ?? []).map(({ UsageData }) => Math.max(0, UsageData?.Size ?? 0))
  const others = [
    ...(Containers ?? []).map(({ SizeRw = 0 }) => SizeRw),
    ...(BuildCache ?? []).map(({ Size = 0 }) => Size),
  ]
  return [...volumes, ...others].reduce((sum, bytes) => sum + bytes, LayersSize)
}

type DiskReport = {
  readonly LayersSize?: number
  readonly Containers?: readonly { readonly SizeRw?: number }[] | null
  readonly Volumes?: readonly { readonly UsageData?: { readonly Size?: number } | null }[] | null
  readonly BuildCache?: readonly { readonly Size?: number }[] | null
}

async function cpusUsedOf(docker: Docker): Promise<number | undefined> {
  const running = await docker.listContainers()
  if (running.length > MAX_COUNTED) return undefined
  const uses = await Promise.all(
    running.map(async ({ Id }) => {
      const stats = await docker
        .getContainer(Id)
        .stats({ stream: false })
        .catch(() => undefined)
      return stats === undefined ? 0 : (containerUsage(stats).cpuPercent ?? 0)
    }),
  )
  return uses.reduce((sum, percent) => sum + percent, 0) / 100
}

export async function testEngine(
  { containerHost: host }: Pick<Fleet, 'containerHost'>,
  { report }: TestWatch,
): Promise<void> {
  const engine = await host?.engine()
  if (host === undefined || engine?.state !== 'connected') {
    report({
      check: 'Docker engine',
      state: 'failed',
      found: engine?.reason ?? 'it has no engine',
      fix: 'Start Docker there, and let this user use it.',
    })
    return
  }
  report({ check: 'Docker engine', state: 'ok', found: engine.version ?? 'unknown' })
  const { cards, fault, fix } = (await host.gpus(true)).inventory
  report(
    cards.length > 0
      ? { check: 'GPUs', state: 'ok', found: cardsText(cards) }
      : {
          check: 'GPUs',
          state: 'warning',
          found: fault ?? 'it has none',
          ...(fix === undefined ? {} : { fix }),
        },
  )
  const name = host.workerImage()
  const isThere = (await host.images().catch(() => [])).some((image) => image.name === name)
  report({
    check: 'Worker image',
    state: 'ok',
    found: isThere ? `${name} is there` : 'the first worker that needs it builds it',
  })
}
