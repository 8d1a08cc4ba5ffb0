/** The public server for agents, unmodified, asked as an agent's program does: in lines of JSON-RPC. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, type TestContext } from 'vitest'
import { platformVariables } from '../../src-main/features/platform-api/rules/variables.ts'
import { requirementOf, versionOf } from '../platform/clients.ts'
import { npmInstall, type PackageFolder, prepareFolder } from './support-packages.ts'
import { startService } from './support-service.ts'

const PROGRAM = 'node_modules/@runpod/mcp-server/dist/stdio.mjs'
// The oldest that the server may be asked in.
const PROTOCOL = '2025-06-18'

export function prepareAgentServer(): Promise<PackageFolder> {
  return prepareFolder(`mcp-server-${versionOf('agents')}`, (folder) => npmInstall(folder, requirementOf('agents')))
}

// biome-ignore lint/suspicious/noExplicitAny: tests compare what comes with what is expected, whatever its form
type Told = any

/** A service, and an agent's program that uses the server with it. */
export async function startAgent(context: TestContext, server: PackageFolder) {
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
  return { service, request, answerOf, tool }
}
