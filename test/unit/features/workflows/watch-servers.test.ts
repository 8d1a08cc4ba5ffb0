import { expect, it, onTestFinished } from 'vitest'
import { createWorkflowServers } from '../../../../src-main/features/workers/registry/workflow-servers.ts'
import { UnusableClasses } from '../../../../src-main/features/workflows/rules/unusable-classes.ts'
import { createUnusableServers } from '../../../../src-main/features/workflows/unusable-servers.ts'
import { createServersWatch } from '../../../../src-main/features/workflows/watch-servers.ts'
import { createEmitter } from '../../../../src-main/lib/emitter.ts'
import type { Endpoint } from '../../../../src-main/storage/storage.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'

const GOOD = 'http://127.0.0.1:1'
const BAD = 'http://127.0.0.1:2'
const MINUTE_MS = 60_000

const withServers = (server: string, ...moreServers: readonly string[]) =>
  ({ id: 'e', config: { workflows: { server, moreServers } } }) as unknown as Endpoint

function watchedServers(failure = new Error('it did not answer within 30 s')) {
  const time = createFakeClock()
  const clock = { now: time.wall, steady: time.monotonic, after: time.after }
  const endpoints = [withServers(GOOD, BAD)]
  const servers = createWorkflowServers({
    clock,
    registry: { ofEndpoint: () => [] },
    leases: { ofWorker: () => [] },
  })
  const reads: string[] = []
  const off = new Set<string>()
  const durable = createEmitter<[changes: readonly object[]]>()
  const watch = createServersWatch({
    storage: {
      ...{ endpoints: { all: () => endpoints }, poke: () => undefined },
      onDurable: durable.on,
    } as never,
    ...{ clock, servers, onChange: () => undefined, stopping: new AbortController().signal },
    unusable: createUnusableServers(clock),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    probeServer: async (address) => (off.has(address) ? undefined : { address, devices: [] }),
    readLastModels: async () => [],
    nodeTypes: {
      async fetch(_endpoint, among = [], onEnd = () => undefined) {
        reads.push(...among)
        if (among.includes(GOOD)) servers.noteAnswer(GOOD, { classes: new Set(), models: new Set() })
        if (among.includes(BAD)) servers.noteAway(BAD, 'does not answer')
        for (const address of among) onEnd(address, address === BAD ? failure : undefined)
        return { text: '{}', source: 'server' }
      },
    },
  })
  onTestFinished(() => watch.stop())
  watch.start()
  const change = (endpoint: Endpoint) => {
    endpoints.splice(0, 1, endpoint)
    durable.emit([{ type: 'endpoint', event: 'updated', endpointId: 'e' }])
  }
  return { time, servers, reads, off, change }
}

it('a server that is lost again and again without a graph in between is read after longer and longer pauses', async () => {
  const { time, servers, reads } = watchedServers()
  const readsOf = (server: string) => reads.filter((address) => address === server).length
  const pauses: number[] = []
  for (let loss = 0; loss < 8; loss++) {
    const [before, lostAt] = [readsOf(GOOD), time.monotonic()]
    servers.lose(GOOD, 'was lost', [])
    await time.until(() => readsOf(GOOD) > before, 100_000)
    pauses.push(Math.floor((time.monotonic() - lostAt) / 2000))
  }
  expect(pauses).toEqual([0, 1, 2, 4, 8, 16, 30, 30])
  for (const _graph of [1, 2]) servers.take(GOOD, undefined)
  servers.lose(GOOD, 'was lost', [])
  const before = readsOf(GOOD)
  await time.until(() => readsOf(GOOD) > before, 1)
})

it('servers whose classes are read are not read again at each check for one whose classes cannot be', async () => {
  const { time, reads } = watchedServers()
  await time.until(() => reads.length >= 6, 60_000)
  expect(reads.filter((address) => address === GOOD)).toHaveLength(1)
})

it('a server whose classes cannot be used is read again after growing pauses, or at once when it has changed', async () => {
  const { time, servers, reads, off, change } = watchedServers(new UnusableClasses('too large'))
  const readAt: number[] = []
  const nextRead = async () => {
    const before = reads.filter((address) => address === BAD).length
    await time.until(() => reads.filter((address) => address === BAD).length > before, 10 * MINUTE_MS)
    readAt.push(Math.floor(time.monotonic() / MINUTE_MS))
  }
  for (let read = 0; read < 4; read++) await nextRead()
  expect(readAt.map((at) => at - (readAt[0] ?? 0))).toEqual([0, 1, 3, 7])
  const isReadWithin = async (ms: number) => {
    const before = reads.length
    await time.until(() => reads.length > before, ms)
  }
  off.add(BAD)
  await time.advance(6000)
  off.delete(BAD)
  await isReadWithin(4000)
  servers.lose(BAD, 'was lost', [])
  await isReadWithin(4000)
  change(withServers(GOOD, BAD, 'http://127.0.0.1:3'))
  await isReadWithin(4000)
  const before = reads.length
  change(withServers(GOOD, BAD, 'http://127.0.0.1:3'))
  await time.advance(10_000)
  expect(reads.slice(before)).not.toContain(BAD)
})
