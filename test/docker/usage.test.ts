/** Resource usage of containers, as the engine reports it. */
import { beforeEach, expect, test } from 'vitest'
import { startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'

const engine = await dockerEngine()
const BUSY = `
import threading
block = bytearray(80 * 1024 * 1024)
def spin():
    while True:
        pass
threading.Thread(target=spin, daemon=True).start()
def handler(job):
    return 1
`

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

test('CPU, memory and its limit, and network of a worker come from the engine; of a process from the system', async () => {
  const service = await startedContainerService(engine)
  const one = { workersMin: 1, workersMax: 1 }
  await service.createContainerHandler('busy', BUSY, one, { memoryBytes: 256 * 1024 * 1024 })
  await service.createEndpoint('process', one)
  const { id } = await service.workerIn('busy', 'idle')
  const { id: processId } = await service.workerIn('process', 'idle')
  const { workers } = await service.get('/api/workers/usage')
  expect(workers).toEqual([
    {
      workerId: id,
      endpointId: 'busy',
      cpuPercent: expect.any(Number),
      memoryBytes: expect.any(Number),
      memoryLimitBytes: 256 * 1024 * 1024,
      networkReceivedBytes: expect.any(Number),
      networkSentBytes: expect.any(Number),
    },
    {
      workerId: processId,
      endpointId: 'process',
      cpuPercent: expect.any(Number),
      memoryBytes: expect.any(Number),
    },
  ])
  expect(workers[0].cpuPercent).toBeGreaterThan(1)
  expect(workers[0].memoryBytes).toBeGreaterThan(80 * 1024 * 1024)
  expect(workers[0].networkSentBytes).toBeGreaterThan(0)
  const told = await service.command('workers', 'usage')
  expect(JSON.parse(told.stdout)).toMatchObject({ workers: [{ workerId: id }, { workerId: processId }] })
})
