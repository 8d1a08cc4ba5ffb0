/** A ComfyUI server that takes prompts and runs none: it parses each, and keeps it in memory. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

const queue: (readonly [number: number, id: string, prompt: unknown])[] = []

const server = createServer(async (incoming, response) => {
  const { prompt } = JSON.parse(await text(incoming))
  const id = randomUUID()
  queue.push([queue.length, id, prompt])
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ prompt_id: id, number: queue.length, node_errors: {} }))
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
