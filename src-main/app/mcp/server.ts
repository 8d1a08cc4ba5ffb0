/**
 * Agent server built on the official SDK, independent of transport: `drydock mcp` (stdio) and /mcp (HTTP) connect it.
 * Source: the Model Context Protocol.
 */
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server as ProtocolServer,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Access } from '../../contract/agents.ts'
import { limit } from '../../contract/limits.ts'
import type { CallLimits } from '../../features/agents/rules.ts'
import type { ServiceClient } from '../client/service-client.ts'
import { answerTexts, cutText, withoutSecrets } from './answer-text.ts'
import { PROMPTS } from './prompts.ts'
import { RESOURCES, type ResourceKind } from './resources.ts'
import { type Confirmation, type Tool, type ToolAnswer, type ToolContext, whyNotOffered } from './tool.ts'
import { TOOLS } from './tools.ts'

export type AgentDeps = {
  readonly version: string
  readonly client: () => Promise<ServiceClient>
  readonly key: () => string | undefined
  readonly access: Access
  readonly limits: CallLimits
  readonly now: () => number
  readonly pause: ToolContext['pause']
}

const INSTRUCTIONS =
  'Drydock runs serverless GPU endpoints and image workflows on this machine. To find out why a job failed, hangs or is slow: job_read first, then why_waiting for its endpoint, then log_read, then service_status. Read the resource drydock://guide for more. Tools that change something are off until a person allows them.'

const byName = new Map(TOOLS.map((tool) => [tool.name, tool]))

export function createAgentServer(deps: AgentDeps): ProtocolServer {
  const server = new ProtocolServer(
    { name: 'drydock', title: 'Drydock', version: deps.version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  )
  addTools(server, deps)
  addResources(server, deps)
  addPrompts(server)
  return server
}

function addTools(server: ProtocolServer, deps: AgentDeps): void {
  const { access, limits, client, now, pause, key } = deps
  server.setRequestHandler('tools/list', () => ({
    tools: TOOLS.filter((tool) => whyNotOffered(tool, access) === undefined).map(listed),
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal, notify } }) => {
    const tool = byName.get(params.name)
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`)
    const refused = whyNotOffered(tool, access)
    if (refused !== undefined) return failed(refused)
    const input = tool.input.safeParse(params.arguments ?? {})
    if (!input.success) return failed(`The arguments of ${tool.name} do not fit: ${issuesText(input.error)}`)
    const leave = limits.enter()
    if (typeof leave === 'string') {
      await pause(limit('mcpRefusedMs'), signal).catch(() => undefined)
      return failed(leave)
    }
    const token = params._meta?.progressToken
    let step = 0
    const report = (message: string) => {
      if (token === undefined) return
      step += 1
      const notification = { progressToken: token, progress: step, message: withoutSecrets(message, key()) }
      void notify({ method: 'notifications/progress', params: notification }).catch(() => undefined)
    }
    try {
      const confirm = (question: string) => askPerson(server, question)
      const context = { client: await client(), now, pause, signal, report, confirm }
      return resultOf(await tool.run(input.data as never, context), tool, key())
    } catch (error) {
      return failed(withoutSecrets(errorText(error), key()))
    } finally {
      leave()
    }
  })
}

function listed({ name, title, description, input, effect, isIdempotent }: Tool) {
  return {
    ...{ name, title, description },
    inputSchema: schemaOf(input) as { type: 'object' },
    annotations: {
      title,
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'dangerous',
      idempotentHint: effect === 'reads' || isIdempotent === true,
      openWorldHint: false,
    },
  }
}

const schemas = new WeakMap<z.ZodObject, object>()

function schemaOf(input: z.ZodObject): object {
  const known = schemas.get(input)
  if (known !== undefined) return known
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  schemas.set(input, schema)
  return schema
}

function resultOf({ data, pictures = [], more }: ToolAnswer, { rest }: Tool, own: string | undefined): CallToolResult {
  const texts = answerTexts({ data, more }, own === undefined ? { rest } : { rest, own })
  return {
    content: [
      ...texts.map((text) => ({ type: 'text' as const, text })),
      ...pictures.map(({ base64, mediaType }) => ({ type: 'image' as const, data: base64, mimeType: mediaType })),
    ],
  }
}

const failed = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true })

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : ''
  return `${error.message}${code}`
}

const issuesText = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.') || 'they'}: ${message}`).join('; ')

const ANSWERED = z.object({ confirmed: z.boolean() })

async function askPerson(server: ProtocolServer, question: string): Promise<Confirmation> {
  if (server.getClientCapabilities()?.elicitation === undefined) return 'nobody'
  const answer = await server.elicitInput({
    message: question,
    requestedSchema: {
      type: 'object',
      properties: { confirmed: { type: 'boolean', title: 'Yes, do it' } },
      required: ['confirmed'],
    },
  })
  const said = ANSWERED.safeParse(answer.content)
  return answer.action === 'accept' && said.success && said.data.confirmed ? 'yes' : 'no'
}

const ID = '{id}'

function addResources(server: ProtocolServer, { client, now, key }: AgentDeps): void {
  const many = RESOURCES.filter(({ uri }) => uri.includes(ID))
  server.setRequestHandler('resources/list', async () => {
    const own = RESOURCES.filter(({ uri }) => !uri.includes(ID)).map(({ mediaType, read: _read, ...rest }) => ({
      ...rest,
      mimeType: mediaType,
    }))
    const service = await client().catch(() => undefined)
    const lists = service === undefined ? [] : await Promise.all(many.map((kind) => listOf(kind, service)))
    return { resources: [...own, ...lists.flat()] }
  })
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: many.map(({ name, title, description, uri, mediaType }) => ({
      ...{ name, title, description, uriTemplate: uri, mimeType: mediaType },
    })),
  }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const found = kindOf(uri)
    if (found === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no resource ${uri}.`)
    const { kind, id } = found
    try {
      const data = await kind.read(id === '' ? NO_SERVICE : await client(), id, now)
      const own = key()
      // A text is read completely, because a graph is useless without its end.
      const text =
        typeof data === 'string' ? cutText(data, limit('mcpBodyBytes')) : answerTexts({ data }, NO_REST).join('\n')
      return { contents: [{ uri, mimeType: kind.mediaType, text: withoutSecrets(text, own) }] }
    } catch (error) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, withoutSecrets(errorText(error), key()))
    }
  })
}

const NO_REST = { rest: 'The tools of the same topic give the rest.' }

const NO_SERVICE = undefined as unknown as ServiceClient

async function listOf({ list, name, uri, mediaType, description }: ResourceKind, client: ServiceClient) {
  const all = (await list?.(client).catch(() => [])) ?? []
  return all.slice(0, LISTED).map(({ id, title }) => ({
    ...{ uri: uri.replace(ID, encodeURIComponent(id)), name: `${name} ${id}`, title, description, mimeType: mediaType },
  }))
}

const LISTED = 200

function kindOf(uri: string): { readonly kind: ResourceKind; readonly id: string } | undefined {
  for (const kind of RESOURCES) {
    if (kind.uri === uri) return { kind, id: '' }
    const [start = ''] = kind.uri.split(ID)
    if (kind.uri.includes(ID) && uri.startsWith(start) && uri.length > start.length)
      return { kind, id: decodeURIComponent(uri.slice(start.length)) }
  }
  return undefined
}

function addPrompts(server: ProtocolServer): void {
  server.setRequestHandler('prompts/list', () => ({
    prompts: PROMPTS.map(({ name, title, description, input }) => ({
      ...{ name, title, description },
      arguments: Object.entries(input.shape).map(([argument, schema]) => ({
        name: argument,
        description: (schema as z.ZodType).description ?? '',
        required: !(schema as z.ZodType).isOptional(),
      })),
    })),
  }))
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) => {
    const prompt = PROMPTS.find((one) => one.name === name)
    if (prompt === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}.`)
    const input = prompt.input.safeParse(given)
    if (!input.success) throw new ProtocolError(ProtocolErrorCode.InvalidParams, issuesText(input.error))
    const text = prompt.text(input.data as Readonly<Record<string, string | undefined>>)
    return {
      description: prompt.description,
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
    }
  })
}
