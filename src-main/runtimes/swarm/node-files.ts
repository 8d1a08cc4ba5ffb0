/**
 * Files on swarm nodes: sent to the manager once, then copied by the hub to suitable nodes. Workers cannot request
 * files; they only get their mounts.
 */

import { isOfModels } from '../../features/models/rules/layout.ts'
import { counted, sizeText } from '../../lib/text.ts'
import { MINUTE_MS } from '../../lib/units.ts'
import { pause } from '../../lib/wait.ts'
import type { Watch } from '../port.ts'
import {
  createRemoteFiles,
  isChange,
  isTransient,
  type RemoteFiles,
  type RemoteFilesOptions,
  reasonOf,
} from '../remote/remote-files.ts'
import { createRemoteMounts, type RemoteMountsOptions } from '../remote/remote-mounts.ts'
import type { HubClient } from './hub-client.ts'
import { answers } from './swarm.ts'
import { READY, type SwarmNode, type SwarmNodes } from './swarm-nodes.ts'

type FilesForWorker = Pick<RemoteFiles, 'send'> & {
  readonly lacking: () => ReadonlyMap<string, string | undefined>
}

export type NodeFiles = ReturnType<typeof createNodeFiles>

// Retry pause, and time without progress, ms; source: ours, as for the manager.
const RETRY_MS = 500
const STALL_LIMIT_MS = MINUTE_MS
// How long a known tree is trusted, ms; source: ours, as for the manager.
const SURE_MS = 5 * MINUTE_MS

export function createNodeFiles(
  options: RemoteFilesOptions & {
    readonly nodes: Pick<SwarmNodes, 'all' | 'get'>
    readonly hub: Pick<HubClient, 'copyTree'>
  },
) {
  const { engine, nodes, hub, machine, clock, log } = options
  const manager = createRemoteFiles(options)
  const stores = new Map<string, RemoteFiles>()
  const had = new Map<string, { readonly source: string; readonly until: number }>()

  const managerId = async () => {
    const { facts } = await engine.connect()
    return String((facts.info.Swarm as { NodeID?: string } | undefined)?.NodeID ?? '')
  }

  function storeOf(node: SwarmNode): RemoteFiles {
    const store = stores.get(node.id) ?? createRemoteFiles({ ...options, engine: node.engine, machine: node.name })
    stores.set(node.id, store)
    return store
  }

  async function bring(
    tree: string,
    { node, from }: { readonly node: SwarmNode; readonly from: string },
    { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (sent: number, of: number) => void },
  ): Promise<string> {
    const key = `${node.id} ${tree}`
    const before = had.get(key)
    if (before !== undefined && clock.steady() < before.until) return before.source
    let movedAt = clock.steady()
    const moved = (sent: number, of: number) => {
      movedAt = clock.steady()
      onProgress(sent, of)
    }
    for (;;) {
      try {
        const { source } = await storeOf(node).receive(tree, { signal, report: () => undefined }, async (container) => {
          const [source, target] = [nodes.get(from)?.agent, nodes.get(node.id)?.agent]
          if (source === undefined || target === undefined) throw new Error('no agent runs there')
          await hub.copyTree({ tree, container, from: source, to: target }, moved, signal)
        })
        had.set(key, { source, until: clock.steady() + SURE_MS })
        return source
      } catch (error) {
        signal.throwIfAborted()
        const now = nodes.get(node.id)
        const goesOn = clock.steady() - movedAt < STALL_LIMIT_MS && now !== undefined && answers(now)
        if (!goesOn || !(isTransient(error) || isChange(error))) throw error
        await pause(clock, RETRY_MS)
        await manager.receive(tree, { signal, report: () => undefined }, async () => undefined).catch(() => undefined)
      }
    }
  }

  function forWorker(isWanted: (node: SwarmNode) => boolean): FilesForWorker {
    const lacking = new Map<string, string | undefined>()

    async function send(folder: Parameters<RemoteFiles['send']>[0], watch: Watch) {
      const sent = await manager.send(folder, watch)
      const from = await managerId()
      const wanted = nodes.all().filter(isWanted)
      const asked = wanted.filter((node) => node.state === READY && answers(node))
      const progress = createProgress(machine, watch)
      const ends = await Promise.allSettled(
        asked.map((node) =>
          node.id === from
            ? sent.source
            : bring(sent.tree, { node, from }, { signal: watch.signal, onProgress: progress(node.id) }),
        ),
      )
      watch.signal.throwIfAborted()
      const source = commonest(ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))) ?? sent.source
      const failed = new Map<string, string>()
      for (const [at, { id, name }] of asked.entries()) {
        const end = ends[at]
        if (end?.status === 'rejected') failed.set(id, reasonOf(end.reason, folder.path, `node ${name}`))
        else if (end?.value !== source)
          failed.set(id, `node ${name} keeps its volumes in another folder than others: ${end?.value}, not ${source}`)
      }
      for (const { id } of wanted) if (!asked.some((node) => node.id === id)) lacking.set(id, undefined)
      for (const [id, why] of failed) lacking.set(id, why)
      const why = [...failed.values()].join('; ')
      if (failed.size > 0) log.warn('files not on all nodes', { machine, why })
      if (failed.size > 0 && failed.size === asked.length) throw new Error(why)
      return { tree: sent.tree, source }
    }

    return { send, lacking: () => lacking }
  }

  const reached = () => nodes.all().filter((node) => stores.has(node.id) && answers(node))

  return {
    forWorker,
    forget: () => had.clear(),
    async removeAll(watch: Watch) {
      had.clear()
      const from = await managerId()
      const others = nodes.all().filter((node) => node.id !== from && answers(node))
      await Promise.all([manager.removeAll(watch), ...others.map((node) => storeOf(node).removeAll(watch))])
    },
    async close() {
      await Promise.all([manager.close(), ...reached().map((node) => storeOf(node).close())])
    },
  }
}

export type WorkerFoldersOptions = Omit<RemoteMountsOptions, 'files' | 'ownFolder'> & {
  readonly files: NodeFiles
  readonly modelFolder: RemoteMountsOptions['ownFolder']
}

export function createWorkerFolders(options: WorkerFoldersOptions, isWanted: (node: SwarmNode) => boolean) {
  const { send, lacking } = options.files.forWorker(isWanted)
  const ownFolder: RemoteMountsOptions['ownFolder'] = async (volume) => {
    if (isOfModels(volume.target)) return options.modelFolder(volume)
    const { source, target, readOnly } = volume
    return { type: 'bind', source, target, readOnly }
  }
  return { lacking, mounts: createRemoteMounts({ ...options, files: { send }, ownFolder }) }
}

function commonest(places: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const place of places) counts.set(place, (counts.get(place) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0]
}

function createProgress(machine: string, { report }: Watch) {
  const parts = new Map<string, { readonly sent: number; readonly of: number }>()
  return (node: string) => (sent: number, of: number) => {
    parts.set(node, { sent, of })
    const [done, all] = [...parts.values()].reduce(([d, a], part) => [d + part.sent, a + part.of], [0, 0])
    const to = `${counted(parts.size, 'node')} of ${machine}`
    report(`copying files to ${to}: ${Math.floor((100 * done) / all)} %, ${sizeText(done)} of ${sizeText(all)}`)
  }
}
