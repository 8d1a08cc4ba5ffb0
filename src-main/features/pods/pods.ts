/**
 * Pods are containers on this machine that run until they are stopped. The engine holds their state, the database their
 * settings. Source: docs/spec/platform.md, 5.
 */
import type { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { Pod, PodAction, PodFields, PodState, podCreate } from '../../contract/pods.ts'
import { createTurns } from '../../lib/turns.ts'
import { SECOND_MS } from '../../lib/units.ts'
import type { PodContainers } from '../../runtimes/port.ts'
import { requireRegistry, requireTemplate, volumeFolder } from '../platform-api/records.ts'
import type { ServiceContext } from '../service-context.ts'
import { createPodLogs, type PodLinesWish } from './pod-logs.ts'
import { POD_DEFAULTS, type PodRow, type PodSettings, settingsIn, viewPod } from './rules.ts'
import { createPodStarts } from './start-pods.ts'

export type Pods = ReturnType<typeof createPods>

// Between SIGTERM and SIGKILL, as in `docker stop`.
const GRACE_MS = 10 * SECOND_MS
export function createPods({
  storage,
  clock,
  newId,
  log,
  fleet,
}: Pick<ServiceContext, 'storage' | 'clock' | 'newId' | 'log' | 'fleet'>) {
  const logs = createPodLogs({ storage, clock, log })
  const starts = createPodStarts({ storage, log, fleet, note: logs.note })
  const { inTurn } = createTurns()
  async function requireContainers(): Promise<PodContainers> {
    const containers = fleet.containerHost?.pods
    const why = containers === undefined ? 'they need a Docker engine on this machine' : await containers.problem()
    if (containers === undefined || why !== undefined)
      throw new AppError('NOT_ON_THIS_MACHINE', { what: 'pods', why: why ?? '' })
    return containers
  }

  function requirePod(id: string): PodRow {
    const found = storage.pods.get(id)
    if (found === undefined) throw new AppError('POD_NOT_FOUND', { podId: id.slice(0, 100) })
    return found
  }

  async function statesNow(): Promise<{
    readonly states?: ReadonlyMap<string, PodState>
    readonly away?: string
  }> {
    try {
      return { states: await (await requireContainers()).states() }
    } catch (error) {
      return { away: (error as Error).message }
    }
  }

  async function view(rows: readonly PodRow[]): Promise<readonly Pod[]> {
    if (rows.length === 0) return []
    const { states, away } = await statesNow()
    const now = clock.now()
    return rows.map((row) =>
      viewPod(row, { state: states?.get(row.id), progress: starts.progressOf(row.id), away, now }),
    )
  }

  async function read(id: string): Promise<Pod> {
    const [found] = await view([requirePod(id)])
    return found as Pod
  }

  function settingsOf(fields: PodFields, before: PodSettings | undefined): PodSettings {
    const given = settingsIn(fields)
    if ('problem' in given) throw new AppError('CANNOT_APPLY', given.problem)
    const image = given.image ?? before?.image
    if (image === undefined) throw new AppError('BAD_FIELD', { field: 'image', why: 'is missing' })
    if (given.registry) requireRegistry(storage, given.registry)
    return { ...POD_DEFAULTS, ...before, ...given, image }
  }

  async function start(id: string): Promise<void> {
    const containers = await requireContainers()
    const row = requirePod(id)
    if (starts.done(id) !== undefined) return
    await storage.write(() => storage.pods.setWanted(id, 'RUNNING'))
    starts.begin(containers, row)
  }

  async function stop(id: string): Promise<void> {
    const containers = await requireContainers()
    requirePod(id)
    await starts.end(id)
    await storage.write(() => storage.pods.setWanted(id, 'EXITED'))
    await containers.stop(id, GRACE_MS)
    logs.note(id, 'stopped')
  }

  async function remove(id: string): Promise<void> {
    requirePod(id)
    const containers = await requireContainers()
    await starts.end(id)
    await containers.remove(id)
    await storage.write(() => storage.pods.remove(id))
    logs.forget(id)
  }

  const ACTIONS = {
    async start(id) {
      if ((await read(id)).status !== 'RUNNING') await start(id)
    },
    stop,
    async restart(id) {
      await stop(id)
      await start(id)
    },
    terminate: remove,
  } as const satisfies Readonly<Record<PodAction, (id: string) => Promise<void>>>

  return {
    list: () => view(storage.pods.all()),
    read,
    async create({ name = 'pod', templateId, ...fields }: z.output<typeof podCreate>): Promise<Pod> {
      const { settings: template } = templateId === undefined ? {} : requireTemplate(storage, templateId)
      const settings = { ...settingsOf({ ...template, ...fields }, undefined), templateId: templateId ?? null }
      const containers = await requireContainers()
      if (settings.networkVolume !== null) await volumeFolder(storage, settings.networkVolume)
      const row: PodRow = {
        ...{ id: newId.worker(), name, settings, wanted: 'RUNNING', reason: undefined, createdAt: clock.now() },
      }
      await storage.write(() => storage.pods.insert(row))
      starts.begin(containers, row)
      return read(row.id)
    },
    update: (id: string, { name, ...fields }: PodFields): Promise<Pod> =>
      inTurn(id, async () => {
        const before = requirePod(id)
        logs.learnSecrets(before)
        const settings = settingsOf(fields, before.settings)
        const { status } = await read(id)
        const isSame = JSON.stringify(settings) === JSON.stringify(before.settings)
        if (!isSame) {
          await requireContainers()
          if (settings.networkVolume !== null) await volumeFolder(storage, settings.networkVolume)
        }
        await storage.write(() => storage.pods.setSettings(id, name ?? before.name, settings))
        if (!isSame && status !== 'EXITED') await ACTIONS.restart(id)
        return read(id)
      }),
    act: (id: string, action: PodAction): Promise<Pod> =>
      inTurn(id, async () => {
        requirePod(id)
        await requireContainers()
        const before = await read(id)
        await ACTIONS[action](id)
        return action === 'terminate' ? before : read(id)
      }),
    remove: (id: string): Promise<void> => inTurn(id, () => remove(id)),
    async lines(id: string, wish: PodLinesWish) {
      const row = requirePod(id)
      return logs.read(await requireContainers(), row, { ...wish, started: starts.done(id) })
    },
    /** Finds pods that an earlier service started, and removes containers of deleted pods. */
    async start(): Promise<void> {
      const containers = fleet.containerHost?.pods
      try {
        await containers?.adopt()
        for (const id of (await containers?.states())?.keys() ?? [])
          if (storage.pods.get(id) === undefined) await containers?.remove(id)
      } catch (error) {
        log.warn('pods were not found again', { error: (error as Error).message })
      }
    },
    stop: starts.endAll,
  }
}
