/**
 * Sends files into a remote engine's volume by content, so that only missing data is transferred. Workers mount them
 * read-only.
 */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { manifestLines, manifestText } from '../../features/machines/rules/file-tree.ts'
import { type KeptTree, oldTrees } from '../../features/machines/rules/old-trees.ts'
import type { FolderKind } from '../../features/machines/rules/sent-files.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import { errorCode } from '../../lib/error-code.ts'
import { sizeText } from '../../lib/text.ts'
import { MINUTE_MS } from '../../lib/units.ts'
import { untilAborted } from '../../lib/wait.ts'
import type { Connected, Engine } from '../docker/engine.ts'
import { CONFLICT, engineMessage, NOT_FOUND, statusOf } from '../docker/engine-messages.ts'
import type { Watch } from '../port.ts'
import { ConnectionBroken, Refused } from './conversation.ts'
import { createFilesContainer, type FilesContainerOptions } from './files-container.ts'
import { UNWATCHED } from './machine-options.ts'
import { createHashCache, readFolder } from './read-folder.ts'
import { FileChanged, type KnownTree, sendTree, type TreeToSend } from './send-tree.ts'

export type FolderToSend = {
  readonly path: string
  readonly kind: FolderKind
  readonly only?: string
  /** The content never changes, so it is not re-read. */
  readonly isFixed?: true
  readonly owner: string
}

export type SentFolder = {
  readonly tree: string
  readonly source: string
}

export type RemoteFiles = ReturnType<typeof createRemoteFiles>

export type RemoteFilesOptions = FilesContainerOptions & {
  readonly engine: Pick<Engine, 'connect' | 'problem'>
  readonly machine: string
  readonly clock: Clock
  readonly log: Log
}

// Pause before a retry after an interruption, ms; source: ours.
const RETRY_MS = 500
// Time without progress before it fails, ms; source: ours, longer than an engine restart.
const STALL_LIMIT_MS = MINUTE_MS
// How long a known tree is trusted without asking, ms, because each start would wait. Source: ours, less than unused
// trees are kept.
const SURE_MS = 5 * MINUTE_MS
// How often old trees are removed, ms; source: ours.
const TIDY_MS = 10 * MINUTE_MS
// Re-reads of a folder that is being written; source: ours.
const MAX_CHANGES = 5

class EngineAway extends Error {}

type LatestTree = KnownTree & SentFolder & { readonly path: string; readonly sureUntil: number }

export function createRemoteFiles(options: RemoteFilesOptions) {
  const { engine, machine, clock, log } = options
  const container = createFilesContainer(options)
  const hashes = createHashCache()
  // Known trees by owner, so that the next one is sent as a difference.
  const latest = new Map<string, LatestTree>()
  let last: Promise<unknown> = Promise.resolve()
  let tidyAt = 0

  function inTurn<Result>(signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
    const turn = last.then(() => {
      signal.throwIfAborted()
      return run()
    })
    last = turn.catch(() => undefined)
    return untilAborted(signal, turn)
  }

  function known(owner: string, is: (latest: LatestTree) => boolean): SentFolder | undefined {
    const found = latest.get(owner)
    if (found === undefined || clock.steady() >= found.sureUntil || !is(found)) return undefined
    return { tree: found.tree, source: found.source }
  }

  async function send(folder: FolderToSend, watch: Watch): Promise<SentFolder> {
    const { owner, path, isFixed = false } = folder
    const before = isFixed ? known(owner, (one) => one.path === path) : undefined
    if (before !== undefined) return before
    const content = await readFolder(folder, hashes, { now: clock.now, signal: watch.signal })
    const lines = manifestLines(content.entries)
    const tree = createHash('sha256').update(manifestText(lines)).digest('hex')
    const isThere = (one: LatestTree) => one.tree === tree
    const there = known(owner, isThere)
    if (there !== undefined) return there
    if (content.leftOut.length > 0)
      log.warn('links that lead out of their folder are not sent', { folder: folder.path, links: content.leftOut })
    if (content.withheld.length > 0)
      log.warn('files that hold credentials are not sent', { folder: folder.path, files: content.withheld })
    return inTurn(watch.signal, async () => {
      const sent = known(owner, isThere)
      if (sent !== undefined) return sent
      return await sendNow({ owner, tree, lines, content, base: latest.get(owner) }, path, watch)
    })
  }

  async function sendNow(wanted: TreeToSend, path: string, watch: Watch): Promise<SentFolder> {
    const { owner, tree, lines } = wanted
    const began = clock.steady()
    const connected = await engine.connect().catch((error) => {
      throw new EngineAway(engineMessage(error))
    })
    const volume = await container.ensure(connected, watch)
    const talk = await container.run(connected.docker, 'receive')
    watch.signal.addEventListener('abort', talk.close)
    try {
      const bytes = await sendTree(talk, wanted, { machine, ...watch })
      log.info('files sent', { machine, tree, files: lines.size, bytes, tookMs: Math.round(clock.steady() - began) })
    } finally {
      watch.signal.removeEventListener('abort', talk.close)
      talk.close()
    }
    const source = sourceOf(volume, tree)
    latest.set(owner, { tree, lines, source, path, sureUntil: clock.steady() + SURE_MS })
    tidyLater()
    return { tree, source }
  }

  async function sendPatiently(folder: FolderToSend, watch: Watch): Promise<SentFolder> {
    let changes = 0
    let brokenSince: number | undefined
    const report = (text: string) => {
      brokenSince = undefined
      watch.report(text)
    }
    for (;;) {
      try {
        return await send(folder, { ...watch, report })
      } catch (error) {
        watch.signal.throwIfAborted()
        if (isChange(error)) {
          changes += 1
          if (changes > MAX_CHANGES) throw new Error(`${folder.path} changes faster than it can be sent to ${machine}`)
          continue
        }
        const isAway = error instanceof EngineAway && brokenSince !== undefined
        if (!isAway && !isTransient(error)) throw new Error(reasonOf(error, folder.path, machine), { cause: error })
        brokenSince ??= clock.steady()
        if (clock.steady() - brokenSince > STALL_LIMIT_MS)
          throw new Error(`${folder.path} could not be sent to ${machine}: ${engineMessage(error)}`, { cause: error })
        watch.report(`the connection to ${machine} was lost while files were sent; sending resumes when it is back`)
        await pause(clock, watch.signal)
      }
    }
  }

  function tidyLater(): void {
    if (clock.steady() < tidyAt) return
    tidyAt = clock.steady() + TIDY_MS
    removeOld(UNWATCHED).catch((error) => log.warn('old files not removed', { machine, why: engineMessage(error) }))
  }

  function removeOld(watch: Watch): Promise<void> {
    return inTurn(watch.signal, async () => {
      const connected = await engine.connect()
      const volume = await container.ensure(connected, watch)
      const { now, trees } = (await ask(connected.docker, 'trees')) as { now: number; trees: readonly KeptTree[] }
      const old = oldTrees(trees, await treesInUse(connected, volume), now)
      if (old.length === 0) return
      await ask(connected.docker, 'remove', old)
      log.info('old files removed', { machine, trees: old.length })
    })
  }

  async function ask(docker: Parameters<typeof container.run>[0], command: string, argv: readonly string[] = []) {
    const talk = await container.run(docker, command, argv)
    try {
      return await talk.hear()
    } finally {
      talk.close()
    }
  }

  return {
    /** Sends missing data, resuming after interruptions. Rejects with a reason for the user. */
    send: sendPatiently,
    receive: (tree: string, watch: Watch, bring: (container: string) => Promise<void>): Promise<SentFolder> =>
      inTurn(watch.signal, async () => {
        const volume = await container.ensure(await engine.connect(), watch)
        await bring(container.name)
        tidyLater()
        return { tree, source: sourceOf(volume, tree) }
      }),
    removeOld,
    removeAll: (watch: Watch): Promise<void> =>
      inTurn(watch.signal, async () => {
        const { docker } = await engine.connect()
        latest.clear()
        await container.removeAll(docker)
      }),
    async close() {
      if (engine.problem() !== undefined) return
      const { docker } = await engine.connect()
      await container.remove(docker)
    },
  }
}

const sourceOf = (volume: string, tree: string) => `${volume}/trees/${tree}`

async function treesInUse({ docker }: Connected, volume: string): Promise<ReadonlySet<string>> {
  const containers = await docker.listContainers({ all: true })
  const sources = containers.flatMap(({ Mounts }) => Mounts.map(({ Source }) => Source))
  return new Set(sources.filter((source) => source.startsWith(`${volume}/`)).map((source) => basename(source)))
}

export const isChange = (error: unknown) =>
  error instanceof FileChanged || (error instanceof Refused && error.failure.failed === 'changed')

export function isTransient(error: unknown): boolean {
  const status = statusOf(error)
  if (status !== undefined) return status === NOT_FOUND || status === CONFLICT
  return error instanceof ConnectionBroken || /^E[A-Z]+$/.test(errorCode(error))
}

export function reasonOf(error: unknown, path: string, machine: string): string {
  const what = `${path} could not be sent to ${machine}`
  if (!(error instanceof Refused)) return `${what}: ${engineMessage(error)}`
  const { failed, why, freeBytes = 0, wantedBytes } = error.failure
  if (failed !== 'full') return `${what}: ${why ?? failed}`
  const wanted = wantedBytes === undefined ? '' : `, and ${sizeText(wantedBytes)} are needed`
  return `${what}: its disk is full (${sizeText(freeBytes)} are free${wanted}). Free some space there, for example with docker system prune`
}

function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const cancel = clock.after(RETRY_MS, resolve)
  return untilAborted(signal, promise).finally(cancel)
}
