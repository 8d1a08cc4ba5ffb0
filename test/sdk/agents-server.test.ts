/**
 * The public server by which agents use the platform (npm), unmodified, asked as an agent's program does: in lines of
 * JSON-RPC. Source: docs/spec/platform.md, 5.
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, beforeEach, expect, type TestContext, test } from 'vitest'
import { platformVariables } from '../../src-main/features/platform-api/rules/variables.ts'
import { requirementOf, versionOf } from '../platform/clients.ts'
import { npmInstall, type PackageFolder, prepareFolder } from './support-packages.ts'
import { PREPARE_LIMIT_MS } from './support-python.ts'
import { startService } from './support-service.ts'

const PROGRAM = 'node_modules/@runpod/mcp-server/dist/stdio.mjs'
// The oldest that the server may be asked in.
const PROTOCOL = '2025-06-18'
const HANDLER = `def handler(job):\n    print("said hello", flush=True)\n    return {"hello": job["input"]["name"]}\n`

let server: PackageFolder
beforeAll(async () => {
  server = await prepareFolder(`mcp-server-${versionOf('agents')}`, (folder) =>
    npmInstall(folder, requirementOf('agents')),
  )
}, PREPARE_LIMIT_MS)
beforeEach(({ skip }) => skip(!server.ready, server.reason))

/** JSON of a tool. */
// biome-ignore lint/suspicious/noExplicitAny: tests compare what comes with what is expected, whatever its form
type Told = any

/** A service, and an agent's program that uses the server with it. */
async function setup(context: TestContext) {
  const service = await startService(context)
  const variables = platformVariables(service.url, service.key, { bundle: undefined, pythonPath: '' })
  const named = Object.fromEntries(variables.map(({ name, value }) => [name, value]))
  const child = spawn(process.execPath, [join(server.folder, PROGRAM)], {
    env: { PATH: process.env.PATH, HOME: service.folder, ...named },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  context.onTestFinished(() => void child.kill())
  const waiting = new Map<number, (answer: Told) => void>()
  createInterface(child.stdout).on('line', (line) => {
    const answer = JSON.parse(line)
    waiting.get(answer.id)?.(answer)
  })
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  function request(method: string, params: object): Promise<Told> {
    const id = waiting.size + 1
    const answered = new Promise((resolve) => waiting.set(id, resolve))
    send({ id, method, params })
    return answered
  }
  const clientInfo = { name: 'agent', version: '1' }
  await request('initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })

  async function answerOf(name: string, args: object = {}): Promise<{ readonly failed: boolean; readonly told: Told }> {
    const { result } = await request('tools/call', { name, arguments: args })
    return { failed: result.isError === true, told: JSON.parse(result.content[0].text) }
  }
  async function tool(name: string, args: object = {}): Promise<Told> {
    const { failed, told } = await answerOf(name, args)
    expect(failed, JSON.stringify(told)).toBe(false)
    return told
  }
  return { service, answerOf, tool }
}

test('an agent makes, lists, changes and deletes an endpoint', async (context) => {
  const { tool, answerOf } = await setup(context)
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
  const { service, tool } = await setup(context)
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
  const { answerOf } = await setup(context)
  expect((await answerOf('list-pods')).failed).toBe(false)
})
