/**
 * Asks the ComfyUI servers of endpoints that have several whether they answer, and reads their classes when one begins
 * to. Source: ours.
 */
import type { Clock, Log } from '../../lib/clock.ts'
import type { Endpoint, Storage } from '../../storage/storage.ts'
import type { NamedServer, WorkflowServers } from '../workers/registry/workflow-servers.ts'
import type { NodeTypeRegistry } from './node-types.ts'
import type { ProbeServer, ReadLastModels } from './ports.ts'
import { hasSeveralServers, serversOf } from './rules/server-address.ts'
import { UnusableClasses } from './rules/unusable-classes.ts'
import type { UnusableServers } from './unusable-servers.ts'

const PROBE_EVERY_MS = 2000
// New models and nodes of a running server are found by then.
const READ_EVERY_MS = 300_000
// A server that loads a model answers late, so one miss says nothing.
const MISSES = 3

export function createServersWatch(deps: {
  readonly storage: Pick<Storage, 'endpoints' | 'onDurable' | 'poke'>
  readonly clock: Clock
  readonly log: Log
  readonly servers: WorkflowServers
  readonly nodeTypes: Pick<NodeTypeRegistry, 'fetch'>
  readonly unusable: UnusableServers
  readonly probeServer: ProbeServer
  readonly readLastModels: ReadLastModels
  readonly onChange: (endpointId: string) => void
  readonly stopping: AbortSignal
}) {
  const { storage, clock, log, servers, nodeTypes, unusable, probeServer, readLastModels, onChange, stopping } = deps
  const misses = new Map<string, number>()
  const readAt = new Map<string, number>()
  const checks = new Map<string, Promise<void>>()
  // Those whose answers are waited for, by endpoint and address.
  const reading = new Set<string>()
  const reads = new Set<Promise<void>>()
  const settings = new Map<string, string>()
  let cancelNext: (() => void) | undefined

  const watched = () => storage.endpoints.all().filter(({ config }) => hasSeveralServers(config.workflows))

  async function probe({ address, busy, awayBecause, has }: NamedServer): Promise<boolean> {
    const answers = (await probeServer(address, stopping)) !== undefined
    const missed = answers ? 0 : (misses.get(address) ?? 0) + 1
    misses.set(address, missed)
    if (missed === MISSES) unusable.forget(address) // it may be started again with other nodes
    // The worker of a busy one knows better.
    const isAway =
      !answers && awayBecause === undefined && (has === undefined || (busy === undefined && missed >= MISSES))
    if (isAway && !stopping.aborted) servers.noteAway(address, 'does not answer')
    return answers
  }

  async function check(endpoint: Endpoint): Promise<void> {
    const all = servers.of(endpoint)
    const answers = await Promise.all(all.map(probe))
    const now = clock.steady()
    const answering = all.filter(
      ({ address, pausedUntil }, at) =>
        answers[at] && pausedUntil <= now && !unusable.isPaused(address) && !reading.has(`${endpoint.id} ${address}`),
    )
    const beginning = answering.filter(({ has, awayBecause }) => has === undefined || awayBecause !== undefined)
    const isDue = now - (readAt.get(endpoint.id) ?? Number.NEGATIVE_INFINITY) >= READ_EVERY_MS
    // A server whose classes cannot be read begins at each check, and the others are not read again for it.
    const among = (isDue ? answering : beginning).map(({ address }) => address)
    if (stopping.aborted || among.length === 0) return
    if (isDue) readAt.set(endpoint.id, now)
    for (const address of among) reading.add(`${endpoint.id} ${address}`)
    const done = read(endpoint, among, beginning)
      .catch((error) => log.info('no ComfyUI server answers', { endpointId: endpoint.id, error }))
      .finally(() => void reads.delete(done))
    reads.add(done)
  }

  async function read(endpoint: Endpoint, among: readonly string[], beginning: readonly NamedServer[]): Promise<void> {
    for (const { address } of beginning)
      void readLastModels(address, stopping).then((models) => servers.noteLoaded(address, models))
    await nodeTypes.fetch(endpoint, among, (address, failure) => {
      reading.delete(`${endpoint.id} ${address}`)
      if (failure instanceof UnusableClasses) unusable.note(address)
      else if (failure === undefined) unusable.forget(address)
    })
  }

  function checkSoon(endpoint: Endpoint): void {
    if (stopping.aborted || checks.has(endpoint.id)) return
    const done = check(endpoint)
      .catch((error) => log.error('ComfyUI servers not checked', { endpointId: endpoint.id, error }))
      .finally(() => void checks.delete(endpoint.id))
    checks.set(endpoint.id, done)
  }

  function checkAll(): void {
    cancelNext?.()
    const endpoints = watched()
    for (const endpoint of endpoints) checkSoon(endpoint)
    cancelNext = endpoints.length === 0 || stopping.aborted ? undefined : clock.after(PROBE_EVERY_MS, checkAll)
  }

  servers.onChange((address) => {
    const touched = watched().filter(({ config }) => serversOf(config.workflows).includes(address))
    for (const { id } of touched) onChange(id)
    if (touched.length > 0) storage.poke()
  })
  servers.onLoss((address) => {
    unusable.forget(address)
    checkAll()
  })

  function forgetChanged({ id, config }: Endpoint): void {
    const now = JSON.stringify(config.workflows)
    if (settings.get(id) !== now) for (const address of serversOf(config.workflows)) unusable.forget(address)
    settings.set(id, now)
  }

  return {
    start() {
      storage.onDurable((changes) => {
        const ids = new Set(changes.flatMap((change) => (change.type === 'endpoint' ? change.endpointId : [])))
        const changed = watched().filter(({ id }) => ids.has(id))
        changed.forEach(forgetChanged)
        if (changed.length > 0) checkAll()
      })
      watched().forEach(forgetChanged)
      checkAll()
    },
    async stop() {
      cancelNext?.()
      await Promise.all([...checks.values(), ...reads])
    },
  }
}
