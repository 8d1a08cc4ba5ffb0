/**
 * Pods are containers on this machine that run until they are stopped. The engine holds their state, the database their
 * settings. Source: docs/spec/platform.md, 5.
 */
import type { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { Pod, PodAction, PodFields, podCreate } from '../../contract/pods.ts'
import { createEmitter } from '../../lib/emitter.ts'
import { createTurns } from '../../lib/turns.ts'
import { SECOND_MS } from '../../lib/units.ts'
import { createNotifier } from '../../lib/wait.ts'
import type { PodContainers } from '../../runtimes/port.ts'
import { fitCards } from '../apps/plan-release.ts'
import { ownSecrets } from '../apps/variables.ts'
import { accountSecretValues, withSecrets } from '../keys/account-secrets.ts'
import { requireRegistry, requireTemplate, volumeFolder } from '../platform-api/records.ts'
import { registryCredentials } from '../registries/registries.ts'
import type { ServiceContext } from '../service-context.ts'
import { createMask } from '../workers/rules/log-lines.ts'
import {
  containerOf,
  gpuSettingOf,
  ownVolumeOf,
  POD_DEFAULTS,
  type PodRow,
  type PodSettings,
  type PodState,
  settingsIn,
  viewPod,
} from './rules.ts'

export type Pods = ReturnType<typeof createPods>

type PodLine = { readonly source: 'container' | 'system'; readonly line: string; readonly ts: string }

export type PodLinesWish = {
  readonly sources: readonly PodLine['source'][]
  readonly tail: number
  readonly since: string | undefined
  readonly follow: boolean
  /** Ends the lines. */
  readonly until: readonly AbortSignal[]
}

type Start = { progress: string; readonly abort: AbortController; readonly done: Promise<void> }

// Between SIGTERM and SIGKILL, as in `docker stop`.
const GRACE_MS = 10 * SECOND_MS
// System lines per pod, in memory. Source: ours.
const MOST_EVENTS = 200

export function createPods({
  storage,
  clock,
  newId,
  log,
  fleet,
}: Pick<ServiceContext, 'storage' | 'clock' | 'newId' | 'log' | 'fleet'>) {
  const starts = new Map<string, Start>()
  // One change of a pod at a time.
  const { inTurn } = createTurns()
  const events = new Map<string, PodLine[]>()
  const eventLines = createEmitter<[string, PodLine]>()
  // Its container keeps the variables that it started with, and its log what it printed.
  const secrets = new Map<string, ReadonlySet<string>>()

  /** @throws AppError NOT_ON_THIS_MACHINE with the reason */
  async function requireContainers(): Promise<PodContainers> {
    const containers = fleet.containerHost?.pods
    const why = containers === undefined ? 'they need a Docker engine on this machine' : await containers.problem()
    if (containers === undefined || why !== undefined)
      throw new AppError('NOT_ON_THIS_MACHINE', { what: 'pods', why: why ?? '' })
    return containers
  }

  /** @throws AppError POD_NOT_FOUND */
  function requirePod(id: string): PodRow {
    const found = storage.pods.get(id)
    if (found === undefined) throw new AppError('POD_NOT_FOUND', { podId: id.slice(0, 100) })
    return found
  }

  function note(id: string, line: string): void {
    const known = events.get(id) ?? []
    events.set(id, known)
    const event = { source: 'system', line, ts: new Date(clock.now()).toISOString() } as const
    known.push(event)
    if (known.length > MOST_EVENTS) known.shift()
    eventLines.emit(id, event)
  }

  function maskOf({ id, settings }: PodRow): (line: string) => string {
    const { env, registry } = settings
    const password = registry === null ? undefined : registryCredentials(storage, registry)?.password
    const own = new Set([...(secrets.get(id) ?? []), ...ownSecrets(env), ...(password === undefined ? [] : [password])])
    secrets.set(id, own)
    return createMask([...accountSecretValues(storage), ...own])
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
      viewPod(row, { state: states?.get(row.id), progress: starts.get(row.id)?.progress, away, now }),
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

  /** Runs in the background, since pulling an image can take minutes. */
  function begin(containers: PodContainers, { id, name, settings }: PodRow): void {
    const abort = new AbortController()
    const report = (progress: string) => {
      start.progress = progress
      note(id, progress)
    }
    async function run(): Promise<void> {
      const { gpuCount } = settings
      const fitted = await fitCards(fleet, name, { gpuIds: gpuSettingOf(settings), gpuCount: Math.max(1, gpuCount) })
      if (fitted.warning !== undefined) note(id, fitted.warning)
      const folder = settings.networkVolume === null ? undefined : await volumeFolder(storage, settings.networkVolume)
      const container = containerOf(settings, { gpu: fitted.gpuIds, folder })
      const env = { ...withSecrets(storage, settings.env), RUNPOD_POD_ID: id }
      await containers.start({ id, env, container, ownVolume: ownVolumeOf(settings) }, { report, signal: abort.signal })
      note(id, 'started')
    }
    const done = run()
      .catch(async (error: Error) => {
        if (abort.signal.aborted) return
        note(id, `not started: ${error.message}`)
        await storage.write(() => storage.pods.setWanted(id, 'RUNNING', error.message))
      })
      .catch((error: Error) => log.error('a failed start of a pod was not stored', { pod: id, error: error.message }))
      .finally(() => starts.delete(id))
    const start: Start = { progress: 'starting', abort, done }
    starts.set(id, start)
  }

  async function endStart(id: string): Promise<void> {
    const start = starts.get(id)
    start?.abort.abort(new Error('the pod is no longer wanted'))
    await start?.done
  }

  async function start(id: string): Promise<void> {
    const containers = await requireContainers()
    const row = requirePod(id)
    if (starts.has(id)) return
    await storage.write(() => storage.pods.setWanted(id, 'RUNNING'))
    begin(containers, row)
  }

  async function stop(id: string): Promise<void> {
    const containers = await requireContainers()
    requirePod(id)
    await endStart(id)
    await storage.write(() => storage.pods.setWanted(id, 'EXITED'))
    await containers.stop(id, GRACE_MS)
    note(id, 'stopped')
  }

  async function remove(id: string): Promise<void> {
    requirePod(id)
    const containers = await requireContainers()
    await endStart(id)
    await containers.remove(id)
    await storage.write(() => storage.pods.remove(id))
    events.delete(id)
    secrets.delete(id)
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
      begin(containers, row)
      return read(row.id)
    },
    update: (id: string, { name, ...fields }: PodFields): Promise<Pod> =>
      inTurn(id, async () => {
        const before = requirePod(id)
        maskOf(before)
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
    /** @returns the pod after the action; a deleted one as it was before */
    act: (id: string, action: PodAction): Promise<Pod> =>
      inTurn(id, async () => {
        requirePod(id)
        await requireContainers()
        const before = await read(id)
        await ACTIONS[action](id)
        return action === 'terminate' ? before : read(id)
      }),
    remove: (id: string): Promise<void> => inTurn(id, () => remove(id)),
    /** Lines of a pod until its container ends. */
    async lines(id: string, { sources, follow, until, ...wish }: PodLinesWish) {
      const mask = maskOf(requirePod(id))
      const containers = await requireContainers()
      const notifier = createNotifier(clock)
      const waiting: PodLine[] = []
      let isOver = false
      const closing = Promise.withResolvers<void>()
      const close = () => closing.resolve()
      for (const signal of until) signal.addEventListener('abort', close)
      const push = (lines: readonly PodLine[]) => {
        const wanted = lines.filter(({ source }) => sources.includes(source))
        waiting.push(...wanted.map(({ line, ...rest }) => ({ ...rest, line: mask(line) })))
        if (waiting.length > MOST_WAITING) waiting.splice(0, waiting.length - MOST_WAITING)
        notifier.notify()
      }
      push((events.get(id) ?? []).slice(-wish.tail))
      const leave = eventLines.on((podId, line) => {
        if (podId === id && follow) push([line])
      })
      async function run(): Promise<void> {
        if (follow) await Promise.race([starts.get(id)?.done, closing.promise])
        const follower = await containers.follow(id, {
          ...{ ...wish, follow },
          onLines: (lines) =>
            push(
              lines.map(({ text, at }) => ({
                ...{ source: 'container' as const, line: text, ts: new Date(at).toISOString() },
              })),
            ),
        })
        await Promise.race([follower.ended, closing.promise])
        follower.stop()
      }
      // A pod that never started has no container.
      void run()
        .catch((error: Error) => log.info('the log of a pod was not read', { pod: id, why: error.message }))
        .finally(() => {
          leave()
          for (const signal of until) signal.removeEventListener('abort', close)
          isOver = true
          notifier.notify()
        })
      return {
        notifier,
        read: () => ({ end: isOver, lines: waiting.splice(0) }),
      }
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
    async stop(): Promise<void> {
      await Promise.all([...starts.keys()].map(endStart))
    },
  }
}

// Unread lines of one reader; older ones are dropped. Source: ours.
const MOST_WAITING = 10_000
