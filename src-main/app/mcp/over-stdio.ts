import { Readable, Writable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { limit } from '../../contract/limits.ts'
import { createCallLimits } from '../../features/agents/rules.ts'
import { type AgentDeps, createAgentServer } from './server.ts'

export type AgentStreams = {
  readonly input: AsyncIterable<string | Uint8Array>
  readonly write: (text: string) => unknown
}

export async function serveOverStdio(
  deps: Omit<AgentDeps, 'limits'> & { readonly steady: () => number },
  { input, write }: AgentStreams,
): Promise<void> {
  const limits = createCallLimits({ perSpan: limit('mcpCalls'), atOnce: limit('mcpCallsAtOnce'), now: deps.steady })
  const server = createAgentServer({ ...deps, limits })
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const output = new Writable({
    write(chunk, _encoding, done) {
      write(String(chunk))
      done()
    },
  })
  server.onclose = end
  await server.connect(new StdioServerTransport(Readable.from(bytesOf(input, end)), output))
  await ended
  await server.close()
}

async function* bytesOf(input: AgentStreams['input'], end: () => void): AsyncGenerator<Buffer> {
  try {
    for await (const piece of input) yield Buffer.from(piece as string)
  } finally {
    end()
  }
}
