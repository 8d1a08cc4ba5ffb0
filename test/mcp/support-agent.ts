/** The official client, connected to a real service as an agent would be: by `drydock mcp`, or over HTTP. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { onTestFinished } from 'vitest'
import { LAUNCHER, type ServedService } from '../support/served-service.ts'

export type Told = {
  /** All of its texts. */
  readonly text: string
  /** The first text as JSON; undefined where it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare what comes with what is expected, whatever its form
  readonly data: any
  readonly isError: boolean
  readonly pictures: readonly { readonly data: string; readonly mimeType: string }[]
}

/** An agent: a client of the protocol. */
export type Agent = {
  readonly client: Client
  /** Calls a tool. */
  readonly call: (tool: string, input?: Readonly<Record<string, unknown>>) => Promise<Told>
  readonly tools: () => Promise<readonly string[]>
}

type Service = Pick<ServedService, 'data' | 'folder'>

export type AgentOptions = {
  readonly args?: readonly string[]
  /** Answers questions to the person; without it the client cannot ask. */
  readonly answer?: (question: string) => boolean
}

/** An agent that starts `drydock mcp` for a data folder. */
export async function stdioAgent({ data, folder }: Service, { args = [], answer }: AgentOptions = {}): Promise<Agent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [LAUNCHER, 'mcp', '--data', data, ...args],
    cwd: folder,
    env: { ...getDefaultEnvironment(), NO_COLOR: '1' },
    stderr: 'pipe',
  })
  return connected(transport, answer)
}

/** An agent that calls /mcp with a key. */
export function httpAgent(service: Pick<ServedService, 'url'>, key: string, allow = 'reads'): Promise<Agent> {
  const url = new URL(`${service.url()}/mcp?allow=${allow}`)
  return connected(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${key}` } } }),
  )
}

async function connected(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  answer?: AgentOptions['answer'],
): Promise<Agent> {
  const capabilities = answer === undefined ? {} : { elicitation: {} }
  const client = new Client({ name: 'test', version: '1' }, { capabilities })
  if (answer !== undefined) {
    const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js')
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
      action: 'accept',
      content: { confirmed: answer(params.message) },
    }))
  }
  onTestFinished(() => client.close())
  // Its types differ from its own classes where optional fields must not be undefined.
  await client.connect(transport as Parameters<Client['connect']>[0])
  return {
    client,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, input = {}) {
      const answer = await client.callTool({ name, arguments: { ...input } })
      const content = answer.content as readonly {
        readonly type: string
        readonly text?: string
        readonly data?: string
        readonly mimeType?: string
      }[]
      const texts = content.flatMap(({ text }) => text ?? [])
      return {
        text: texts.join('\n'),
        data: jsonOf(texts[0]),
        isError: answer.isError === true,
        pictures: content.flatMap(({ data, mimeType }) =>
          data === undefined || mimeType === undefined ? [] : [{ data, mimeType }],
        ),
      }
    },
  }
}

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
