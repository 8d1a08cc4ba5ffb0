/**
 * Reloads saved code: stages a worker with new code, then the others leave after their jobs; if it fails, they
 * continue. A newer change abandons a running start.
 */
import type { CodeChange } from '../../contract/endpoint.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import type { Fleet } from '../../runtimes/port.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import type { EndpointLog } from '../monitoring/logs/endpoint-log.ts'
import type { CodeFilesChange, CodeWatch, WatchCode } from './ports.ts'
import type { LiveWorker, WorkerRegistry } from './registry/worker-registry.ts'
import { changedFilesText, codeChangeOutcome } from './rules/code-change.ts'
import { type CodeEntry, codeEntryOf } from './rules/code-entry.ts'
import { replaces } from './rules/scaling.ts'
import { isLive, takesJobs } from './rules/transitions.ts'
import { type StagedWorker, whenEnded } from './stage-worker.ts'
import type { WorkerSupervisor } from './supervise.ts'

const KNOWN_CODE = 'code.known'

/** Hash of the code of workers started since a time in wall ms. */
type KnownCode = { readonly hash: string; readonly since: number }

export function createCodeReload(deps: {
  readonly storage: Pick<Storage, 'endpoints' | 'events' | 'state' | 'write' | 'onCommit'>
  readonly clock: Clock
  readonly log: Log
  readonly endpointLog: EndpointLog
  readonly fleet: Pick<Fleet, 'capacity'>
  readonly registry: WorkerRegistry
  readonly supervisor: Pick<WorkerSupervisor, 'stage' | 'leave' | 'giveWay' | 'check' | 'forgetCode'>
  readonly watch: WatchCode
  readonly changes: Map<string, CodeChange>
}) {
  const { storage, clock, log, endpointLog, registry, supervisor, watch, changes } = deps
  const watches = new Map<string, CodeWatch & { readonly entry: CodeEntry }>()
  const runs = new Map<string, { readonly giveUp: AbortController; readonly done: Promise<void> }>()
  const begun = new Map<string, KnownCode>()
  // Workers with earlier code, of endpoints where none with the last change was ready yet.
  const unproven = new Map<string, ReadonlySet<LiveWorker>>()
  let state: 'new' | 'running' | 'stopped' = 'new'
  let unlisten: () => void = () => undefined

  function follow(endpointId: string): void {
    const config = storage.endpoints.get(endpointId)?.config
    const entry = state === 'running' && config !== undefined ? codeEntryOf(config) : undefined
    const before = watches.get(endpointId)
    if (before?.entry.folder === entry?.folder && before?.entry.file === entry?.file) return
    before?.close()
    watches.delete(endpointId)
    changes.delete(endpointId)
    unproven.delete(endpointId)
    begun.delete(endpointId)
    if (entry === undefined) return
    const opened = watch(entry, {
      onChange: (change) => begin(endpointId, change),
      onPolling: (why) => log.warn('code watched by polling', { endpointId, why }),
      now: clock.now,
    })
    const current = { ...opened, entry }
    watches.set(endpointId, current)
    void whenReady(endpointId, current).catch((error) => log.error('code not compared', { endpointId, error }))
  }

  // A worker of the last run may have code older than an unnoticed save.
  async function whenReady(endpointId: string, opened: CodeWatch & { readonly entry: CodeEntry }): Promise<void> {
    await opened.ready
    log.info('code watched', { endpointId, ...opened.entry })
    const adopted = registry.ofEndpoint(endpointId).filter((worker) => worker.adopted && isLive(worker.state))
    const oldest = Math.min(...adopted.map(({ startedWallAt }) => startedWallAt))
    const known = knownCode()[endpointId]
    const hash = opened.fingerprint()
    // A worker from before the last change may have been finishing its jobs.
    const isSame = adopted.length === 0 || (known?.hash === hash && known.since <= oldest)
    const files = isSame ? [] : await opened.writtenAfter(oldest)
    if (watches.get(endpointId) !== opened || runs.has(endpointId)) return
    if (files.length > 0) begin(endpointId, { files, at: clock.now() })
    else if (known?.hash !== hash) await storage.write(() => noteCode(endpointId, { hash, since: 0 }))
  }

  function knownCode(): Readonly<Record<string, KnownCode>> {
    return (storage.state.get(KNOWN_CODE) ?? {}) as Readonly<Record<string, KnownCode>>
  }

  function noteCode(endpointId: string, code: KnownCode): void {
    const others = Object.entries(knownCode()).filter(([id]) => storage.endpoints.read(id) !== undefined)
    storage.state.set(KNOWN_CODE, { ...Object.fromEntries(others), [endpointId]: code })
  }

  function begin(endpointId: string, change: CodeFilesChange): void {
    begun.set(endpointId, { hash: watches.get(endpointId)?.fingerprint() ?? '', since: change.at })
    const before = runs.get(endpointId)
    before?.giveUp.abort(new Error('the code changed again'))
    const giveUp = new AbortController()
    const done = Promise.resolve(before?.done)
      .then(() => reload(endpointId, change, giveUp.signal))
      .catch((error) => log.error('code not reloaded', { endpointId, error }))
      .finally(() => {
        if (runs.get(endpointId)?.giveUp === giveUp) runs.delete(endpointId)
      })
    runs.set(endpointId, { giveUp, done })
  }

  async function reload(endpointId: string, { files, at }: CodeFilesChange, signal: AbortSignal): Promise<void> {
    const endpoint = storage.endpoints.get(endpointId)
    if (endpoint === undefined || signal.aborted) return
    const reason = changedFilesText(files)
    const old = registry.ofEndpoint(endpointId).filter(({ duty, state }) => duty !== 'staged' && isLive(state))
    const retire = () => {
      for (const worker of old) registry.move(worker, 'retire', { retiredBecause: reason })
    }
    changes.set(endpointId, { files: [...files], at, state: 'starting' })
    unproven.delete(endpointId)
    supervisor.forgetCode(endpointId)
    try {
      if (endpoint.paused || !old.some((worker) => takesJobs(worker) || worker.adopted)) {
        retire()
        unproven.set(endpointId, new Set(old))
        await end(endpointId, { files: [...files], at, state: 'next' })
        return
      }
      const next = await stage(endpoint, old, { reason, signal })
      if (storage.endpoints.get(endpointId)?.revision === endpoint.revision) next.promote()
      else await next.discard('the settings of its endpoint changed')
      retire()
      await end(endpointId, { files: [...files], at, state: 'live', tookMs: clock.now() - at })
    } catch (error) {
      if (signal.aborted) return
      const why = (error as Error).message
      const left = old.filter(({ state }) => isLive(state))
      unproven.set(endpointId, new Set(old))
      for (const worker of left) registry.note(worker, { replacement: `not replaced: ${why}` })
      await end(endpointId, {
        files: [...files],
        at,
        state: 'failed',
        why,
        ...(left.length === 0 && { noneLeft: true as const }),
      })
    } finally {
      supervisor.check(endpointId)
    }
  }

  // The next worker proves code that no worker was replaced for, and code that did not start at first.
  function prove({ endpointId }: LiveWorker): void {
    const old = unproven.get(endpointId)
    const change = changes.get(endpointId)
    if (old === undefined || change === undefined) return
    const serving = registry.ofEndpoint(endpointId).filter(takesJobs)
    if (serving.length === 0 || serving.some((worker) => old.has(worker))) return
    unproven.delete(endpointId)
    const { files, at } = change
    const live = end(endpointId, { files, at, state: 'live', tookMs: clock.now() - at })
    live.catch((error) => log.error('code change not recorded', { endpointId, error }))
  }

  async function stage(
    endpoint: Endpoint,
    old: readonly LiveWorker[],
    { reason, signal }: { readonly reason: string; readonly signal: AbortSignal },
  ): Promise<StagedWorker> {
    const how = { pool: 'main', because: replaces(reason), signal } as const
    if (deps.fleet.capacity(endpoint.config).free > 0) return await supervisor.stage(endpoint, how)
    const leaving = old.find(({ state }) => state === 'idle' || state === 'paused') ?? old[0]
    // Nobody else may take the slot while the old worker finishes its jobs.
    const goOn = await supervisor.giveWay(endpoint.id, () => true, signal)
    try {
      if (leaving !== undefined) {
        supervisor.leave(leaving.id, reason, false)
        await whenEnded(deps, leaving, signal)
      }
      return await supervisor.stage(endpoint, how)
    } finally {
      goOn()
    }
  }

  async function end(endpointId: string, change: CodeChange): Promise<void> {
    changes.set(endpointId, change)
    const line = `${changedFilesText(change.files)}: ${codeChangeOutcome(change)}`
    endpointLog({ endpointId, line, level: change.state === 'failed' ? 'WARN' : 'INFO' })
    await storage.write(() => {
      if (storage.endpoints.read(endpointId) === undefined) return
      const code = begun.get(endpointId)
      if (change.state !== 'failed' && code !== undefined) noteCode(endpointId, code)
      storage.events.recordReload(endpointId, { hasFailed: change.state === 'failed', reason: line }, clock.now())
    })
  }

  return {
    start() {
      if (state !== 'new') return
      state = 'running'
      unlisten = registry.onMove(prove)
      storage.onCommit((committed) => {
        for (const { type, endpointId } of committed) if (type === 'endpoint') follow(endpointId)
      })
      for (const { id } of storage.endpoints.all()) follow(id)
    },
    async stop() {
      state = 'stopped'
      unlisten()
      for (const id of [...watches.keys()]) follow(id)
      for (const { giveUp } of runs.values()) giveUp.abort(new Error('the service stops'))
      await Promise.all([...runs.values()].map(({ done }) => done))
    },
  }
}
