/**
 * Model downloads, two at a time in order. States are rows and progress is the part file, so they survive restarts.
 * Interrupted ones retry while tries make progress.
 */
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { ServiceSettings } from '../../contract/management.ts'
import type { ModelDownload, ModelDownloadCreate } from '../../contract/models.ts'
import type { Clock, Log, NewId } from '../../lib/clock.ts'
import { present } from '../../lib/json/plain.ts'
import { MIB } from '../../lib/units.ts'
import { createNotifier } from '../../lib/wait.ts'
import type { ModelFiles, ModelTarget, ReadHead, Storage, StoredDownload } from '../../storage/storage.ts'
import { authorizationFor } from './credentials.ts'
import type { FetchFile } from './ports.ts'
import { mayHappen, pauseBefore, TRIES_MAX } from './rules/download-transitions.ts'
import { shownAddress } from './rules/layout.ts'
import { type DownloadRequest, readRequest, runDownload, type TryEnd } from './run-download.ts'

export type ModelDownloads = ReturnType<typeof createModelDownloads>

export type ModelDownloadDeps = {
  readonly storage: Pick<Storage, 'write' | 'modelDownloads' | 'secrets'>
  readonly clock: Clock
  readonly newId: Pick<NewId, 'uuid'>
  readonly log: Log
  readonly files: ModelFiles
  readonly readHead: ReadHead
  readonly fetchFile: FetchFile
  readonly settings: () => Pick<ServiceSettings, 'modelsFromPrivateAddresses' | 'modelsMaxMib'>
  readonly folders: () => readonly ModelTarget['folder'][]
  readonly onFinished: () => Promise<void>
}

type Authorization = (host: string) => string | undefined
type Running = { readonly abort: AbortController; readonly ended: Promise<void>; readonly rate: Rate }
type Rate = { received: number; samples: { readonly at: number; readonly bytes: number }[] }

const AT_ONCE = 2
const NOTIFY_EVERY_MS = 200
const RATE_OVER_MS = 5000
const SAMPLE_EVERY_MS = 250

export function createModelDownloads(deps: ModelDownloadDeps) {
  const { storage, clock, newId, log, files, settings, folders } = deps
  const store = storage.modelDownloads
  const notifier = createNotifier(clock)
  const running = new Map<string, Running>()
  // Steady ms of the next try, and tries without progress.
  const pauses = new Map<string, { readonly until: number; readonly tries: number }>()
  // Authorizations in memory only, because tokens of workers are not stored.
  const given = new Map<string, Authorization>()
  let cancelTimer: (() => void) | undefined
  let cancelNews: (() => void) | undefined
  let isStopped = true

  const notifySoon = () => {
    cancelNews ??= clock.after(NOTIFY_EVERY_MS, () => {
      cancelNews = undefined
      notifier.notify()
    })
  }

  function targetOf({ folder: path, directory, name }: StoredDownload): ModelTarget | undefined {
    const folder = folders().find((one) => one.path === path)
    return folder && { folder, directory, name }
  }

  function pump(): void {
    cancelTimer?.()
    if (isStopped) return
    const now = clock.steady()
    const waiting = store.underWay().filter(({ id }) => !running.has(id))
    const due = waiting.filter(({ id }) => (pauses.get(id)?.until ?? 0) <= now)
    for (const download of due.slice(0, Math.max(0, AT_ONCE - running.size))) startTry(download)
    const next = Math.min(...waiting.flatMap(({ id }) => pauses.get(id)?.until ?? []).filter((at) => at > now))
    if (Number.isFinite(next)) cancelTimer = clock.after(next - now, pump)
  }

  function startTry(download: StoredDownload): void {
    const abort = new AbortController()
    const rate: Rate = { received: download.receivedBytes, samples: [] }
    const ended = attempt(download, abort.signal, rate)
      .catch((error) => log.error('download of a model not recorded', { downloadId: download.id, error }))
      .then(() => {
        running.delete(download.id)
        notifier.notify()
        pump()
      })
    running.set(download.id, { abort, ended, rate })
  }

  async function attempt({ id }: StoredDownload, signal: AbortSignal, rate: Rate): Promise<void> {
    const download = await storage.write(() => store.move(id, 'start', {}) ?? store.get(id))
    if (download?.state !== 'running') return
    notifier.notify()
    const target = targetOf(download)
    let first: number | undefined
    const onBytes = (received: number) => {
      first ??= received
      note(rate, received, clock.steady())
      notifySoon()
    }
    const end: TryEnd =
      target === undefined
        ? { kind: 'fault', why: `${download.folder} is no longer a model folder`, isFinal: true }
        : await runDownload(
            {
              files,
              fetchFile: deps.fetchFile,
              authorization: given.get(id) ?? ((host) => authorizationFor(storage, host)),
              allowPrivate: settings().modelsFromPrivateAddresses,
              readHead: deps.readHead,
              maxBytes: settings().modelsMaxMib * MIB,
              learn: async (reported) => void (await storage.write(() => store.learn(id, reported))),
              onBytes,
              signal,
            },
            download,
            target,
          )
    if (end.kind === 'fault' && end.isUseless && target !== undefined) {
      rate.received = 0
      await files.removePart(target, id)
    }
    if (signal.aborted && end.kind === 'fault') return
    await record(download, end, rate.received, rate.received > (first ?? 0))
  }

  async function record(
    download: StoredDownload,
    end: TryEnd,
    receivedBytes: number,
    isFurther: boolean,
  ): Promise<void> {
    const { id } = download
    if (end.kind === 'done') {
      const changes = { sha256: end.sha256, endedAt: clock.now(), receivedBytes }
      await storage.write(() => store.move(id, 'finish', changes))
      log.info('model downloaded', { downloadId: id, bytes: receivedBytes })
      pauses.delete(id)
      given.delete(id)
      return deps.onFinished()
    }
    const tries = isFurther ? 1 : (pauses.get(id)?.tries ?? 0) + 1
    log.warn('download of a model was interrupted', { downloadId: id, reason: end.why, final: end.isFinal })
    if (end.isFinal || tries >= TRIES_MAX) {
      pauses.delete(id)
      const reason = end.isFinal ? end.why : `${end.why}; gave up after ${tries} tries`
      await storage.write(() => store.move(id, 'fail', { reason, endedAt: clock.now(), receivedBytes }))
      return
    }
    const pause = pauseBefore(tries)
    pauses.set(id, { until: clock.steady() + pause, tries })
    const reason = `${end.why}; retrying in ${pause / 1000} s`
    await storage.write(() => store.move(id, 'pause', { reason, receivedBytes }))
  }

  function viewOf(download: StoredDownload): ModelDownload {
    const { url, reason, expected, validator: _validator, ...rest } = download
    const now = running.get(download.id)?.rate
    const sha256 = rest.sha256 ?? expected
    const rate = now && rateOf(now)
    return {
      ...rest,
      url: shownAddress(url),
      receivedBytes: now?.received ?? rest.receivedBytes,
      ...present({ reason, sha256, bytesPerSecond: rate }),
    }
  }

  function require(id: string): StoredDownload {
    const download = store.get(id)
    if (download === undefined) throw new AppError('DOWNLOAD_NOT_FOUND', { downloadId: id.slice(0, 100) })
    return download
  }

  async function begin({ target, url, expected }: DownloadRequest, authorization?: Authorization) {
    const { directory, name } = target
    const isSame = (one: StoredDownload) =>
      one.folder === target.folder.path && one.directory === directory && one.name === name
    if (await files.exists(target)) throw new AppError('MODEL_EXISTS', { directory, name })
    const id = newId.uuid()
    const before = await storage.write(() => {
      const found = store.underWay().find(isSame)
      if (found !== undefined) return found
      const fresh = { id, url, folder: target.folder.path, directory, name, expected }
      store.insert({
        ...fresh,
        state: 'waiting',
        receivedBytes: 0,
        reason: undefined,
        validator: undefined,
        createdAt: clock.now(),
      })
      store.trim({ keep: limit('modelDownloadsKept') })
      return undefined
    })
    if (authorization !== undefined) given.set(before?.id ?? id, authorization)
    notifier.notify()
    pump()
    return viewOf(before ?? require(id))
  }

  return {
    notifier,
    list: (): ModelDownload[] => store.list(limit('modelDownloadsKept')).map(viewOf),
    /**
     * Returns a running download of the same file, if any.
     * @throws AppError BAD_FIELD, MODEL_EXISTS, MODEL_UNWRITABLE
     */
    create: async (asked: ModelDownloadCreate): Promise<ModelDownload> => await begin(readRequest(asked, folders())),
    /**
     * Same for a program's request.
     * @param authorization for hosts until the service ends; defaults to stored credentials
     * @throws AppError MODEL_EXISTS, MODEL_UNWRITABLE
     */
    begin,
    get(id: string): ModelDownload | undefined {
      const found = store.get(id)
      return found && viewOf(found)
    },
    async retry(id: string): Promise<ModelDownload> {
      const download = require(id)
      const target = targetOf(download)
      if (target !== undefined && (await files.exists(target)))
        throw new AppError('MODEL_EXISTS', { directory: target.directory, name: target.name })
      pauses.delete(id)
      const isTaken = store
        .underWay()
        .some(
          (one) => one.folder === download.folder && one.directory === download.directory && one.name === download.name,
        )
      if (!isTaken) await storage.write(() => store.move(id, 'retry', {}))
      notifier.notify()
      pump()
      return viewOf(require(id))
    },
    async cancel(id: string): Promise<ModelDownload> {
      const download = require(id)
      const moved = await storage.write(() => store.move(id, 'cancel', { endedAt: clock.now(), receivedBytes: 0 }))
      pauses.delete(id)
      const run = running.get(id)
      run?.abort.abort()
      await run?.ended
      const target = targetOf(download)
      if (moved !== undefined && target !== undefined) await files.removePart(target, id)
      notifier.notify()
      pump()
      return viewOf(require(id))
    },
    async remove(id: string) {
      const download = require(id)
      if (!(await storage.write(() => store.remove(id))))
        throw new AppError('BAD_FIELD', { field: 'downloadId', why: 'the download is still running. Cancel it first' })
      const target = targetOf(download)
      if (target !== undefined && mayHappen('retry', download.state)) await files.removePart(target, id)
      notifier.notify()
    },
    async start() {
      isStopped = false
      const left = store.underWay().filter(({ state }) => mayHappen('pause', state))
      if (left.length > 0) await storage.write(() => left.map(({ id }) => store.move(id, 'pause', {})))
      pump()
    },
    /** Interrupts running downloads until the next start. Safe to call twice; waits. */
    async stop() {
      isStopped = true
      cancelTimer?.()
      cancelNews?.()
      for (const { abort } of running.values()) abort.abort()
      await Promise.all([...running.values()].map(({ ended }) => ended))
    },
  }
}

function note(rate: Rate, received: number, at: number): void {
  rate.received = received
  const last = rate.samples.at(-1)
  if (last !== undefined && at - last.at < SAMPLE_EVERY_MS) return
  rate.samples = [...rate.samples.filter((sample) => at - sample.at <= RATE_OVER_MS), { at, bytes: received }]
}

function rateOf({ samples }: Rate): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || last.at === first.at) return undefined
  return Math.max(0, Math.round(((last.bytes - first.bytes) * 1000) / (last.at - first.at)))
}
