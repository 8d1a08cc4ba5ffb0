import { expect, it, onTestFinished } from 'vitest'
import { createWorkflowServers } from '../../../../src-main/features/workers/registry/workflow-servers.ts'
import { createServersWatch } from '../../../../src-main/features/workflows/watch-servers.ts'
import type { Endpoint } from '../../../../src-main/storage/storage.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'

const GOOD = 'http://127.0.0.1:1'
const BAD = 'http://127.0.0.1:2'

it('servers whose classes are read are not read again at each check for one whose classes cannot be', async () => {
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
  await time.until(() => reads.length >= 6, 60_000)
  expect(reads.filter((address) => address === GOOD)).toHaveLength(1)
})
