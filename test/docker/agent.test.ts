/** The planted fault that needs an engine: a container that takes more memory than it may have. */
import { beforeEach, expect, test } from 'vitest'
import { findCause } from '../mcp/scripted-agent.ts'
import { stdioAgent } from '../mcp/support-agent.ts'
import { nothingLeft, startedContainerService } from '../support/container-service.ts'
import { dockerEngine } from '../support/docker-engine.ts'

const engine = await dockerEngine()

beforeEach(({ skip }) => skip('why' in engine, 'why' in engine ? engine.why : ''))

const EATS = 'def handler(job):\n    kept = []\n    while True:\n        kept.append(bytearray(8 << 20))\n'

test('out of memory', async () => {
  const service = await startedContainerService(engine)
  await service.createContainerHandler('hungry', EATS, { workersMax: 1 }, { memoryBytes: 64 * 1024 * 1024 })
  const agent = await stdioAgent(service)
  const jobId = await service.run('hungry', {})
  await service.jobEnd('hungry', jobId)
  const found = await findCause(agent, { jobId })
  expect(found).toMatchObject({ cause: 'out of memory', calls: ['job_read'] })
  expect(found.evidence).toMatch(/reached its limit of 64 MB/)
  await service.ask('DELETE', '/api/endpoints/hungry')
  await service.stop()
  await nothingLeft(service)
})
