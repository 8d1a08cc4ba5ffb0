import { expect, it, onTestFinished } from 'vitest'
import { createWorkflowServers } from '../../../../src-main/features/workers/registry/workflow-servers.ts'
import { createServersWatch } from '../../../../src-main/features/workflows/watch-servers.ts'
import type { Endpoint } from '../../../../src-main/storage/storage.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'

const GOOD = 'http://127.0.0.1:1'
const BAD = 'http://127.0.0.1:2'

function watchedServers() {
  const time = createFakeClock()
  const clock = { now: time.wall, steady: time.monotonic, after: time.after }
  const endpoint = { id: 'e', config: { workflows: { server: GOOD, moreServers: [BAD] } } } as unknown as Endpoint
  const servers = createWorkflowServers({
    clock,
    registry: { ofEndpoint: () => [] },
    leases: { ofWorker: () => [] },
  })
  const reads: string[] = []
  const watch = createServersWatch({
    storage: { endpoints: { all: () => [endpoint] }, onDurable: () => undefined, poke: () => undefined } as never,
    ...{ clock, servers, onChange: () => undefined, stopping: new AbortController().signal },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    probeServer: async (address) => ({ address, devices: [] }),
    readLastModels: async () => [],
    nodeTypes: {
      async fetch(_endpoint, among = []) {
        reads.push(...among)
        if (among.includes(GOOD)) servers.noteAnswer(GOOD, { classes: new Set(), models: new Set() })
        if (among.includes(BAD)) servers.noteAway(BAD, 'does not answer: its answer is too large')
        return { text: '{}', source: 'server' }
      },
    },
  })
  onTestFinished(() => watch.stop())
  watch.start()
  return { time, servers, reads }
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
