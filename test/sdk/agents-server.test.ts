/** The public server by which agents use the platform (npm). Source: docs/spec/platform.md, 5. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { prepareAgentServer, startAgent } from './support-agents.ts'
import type { PackageFolder } from './support-packages.ts'
import { PREPARE_LIMIT_MS } from './support-python.ts'

const HANDLER = `def handler(job):\n    print("said hello", flush=True)\n    return {"hello": job["input"]["name"]}\n`

let server: PackageFolder
beforeAll(async () => {
  server = await prepareAgentServer()
}, PREPARE_LIMIT_MS)
beforeEach(({ skip }) => skip(!server.ready, server.reason))

test('an agent makes, lists, changes and deletes an endpoint', async (context) => {
  const { tool, answerOf } = await startAgent(context, server)
  const body = {
    name: 'echo',
    image: 'ghcr.io/ada/echo:1',
    type: 'QUEUE',
    scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
    workers: { min: 0, max: 1 },
    cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    env: { A: '1' },
  }
  expect(await tool('create-endpoint', { body })).toMatchObject({ id: 'echo', image: body.image, env: { A: '1' } })
  expect(JSON.stringify(await tool('list-endpoints'))).toContain('"echo"')
  const changed = await tool('update-endpoint', { id: 'echo', body: { image: 'ghcr.io/ada/echo:2' } })
  expect(changed).toMatchObject({ image: 'ghcr.io/ada/echo:2' })
  expect(await tool('get-endpoint', { id: 'echo' })).toMatchObject({ image: 'ghcr.io/ada/echo:2', type: 'QUEUE' })
  await tool('delete-endpoint', { id: 'echo' })
  expect(JSON.stringify(await tool('list-endpoints'))).not.toContain('"echo"')
  const gone = await answerOf('get-endpoint', { id: 'echo' })
  expect(gone).toMatchObject({ failed: true })
  expect(JSON.stringify(gone.told)).toContain('There is no endpoint echo')
})

test('an agent sends jobs, and reads what their worker printed', async (context) => {
  const { service, tool } = await startAgent(context, server)
  const handler = join(service.folder, 'handler.py')
  writeFileSync(handler, HANDLER)
  const { id: endpointId } = await service.createEndpoint({ name: 'talker', handler, idleTimeoutMs: 60_000 })
  const { output, workerId } = await tool('runsync-endpoint', { endpointId, input: { name: 'Ada' } })
  expect(output).toEqual({ hello: 'Ada' })
  const { id: jobId } = await tool('run-endpoint', { endpointId, input: { name: 'Bea' } })
  await service.waitForStatus(endpointId, jobId, 'COMPLETED')
  expect(await tool('get-job-status', { endpointId, jobId })).toMatchObject({ output: { hello: 'Bea' } })
  const wish = { source: 'container', tail: 1000, maxWaitMs: 1000 }
  const lines = { items: expect.arrayContaining([expect.objectContaining({ line: 'said hello' })]) }
  expect(await tool('stream-worker-logs', { endpointId, workerId, ...wish })).toMatchObject(lines)
  expect(await tool('stream-pod-logs', { podId: workerId, ...wish })).toMatchObject(lines)
  expect(await tool('list-endpoint-workers', { id: endpointId })).toMatchObject({ workers: [{ id: workerId }] })
})

test('an agent lists pods', async (context) => {
  const { answerOf } = await startAgent(context, server)
  expect((await answerOf('list-pods')).failed).toBe(false)
})
