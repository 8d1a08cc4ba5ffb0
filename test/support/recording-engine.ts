/**
 * A Docker engine with graphics cards, as far as a client can see: it says that NVIDIA's runtime
 * is there, records the requests for containers, and passes everything on to the real engine without the cards.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** The fields of a request that tests look at. */
export type RecordedContainer = {
  readonly Labels: Readonly<Record<string, string>>
  readonly Env: readonly string[]
  readonly HostConfig: { DeviceRequests?: unknown; Runtime?: unknown }
}

/** The engine, and its record. */
export type RecordingEngine = { readonly dockerHost: string; readonly containers: readonly RecordedContainer[] }

/** Starts it before a real engine; it ends with the test. @param info what its /info says in addition */
export async function recordingEngine(realHost: string, info: object): Promise<RecordingEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-engine-'))
  const socketPath = join(folder, 'docker.sock')
  const containers: RecordedContainer[] = []

  function pass(from: IncomingMessage, to: ServerResponse, body?: string): void {
    const headers = { ...from.headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) }
    const { method, url: path } = from
    const real = request({ socketPath: realHost.slice('unix://'.length), method, path, headers }, (answer) => {
      if (path?.endsWith('/info'))
        void readAll(answer).then((text) => to.end(JSON.stringify({ ...JSON.parse(text), ...info })))
      else {
        to.writeHead(answer.statusCode ?? 500, answer.headers)
        to.flushHeaders() // a stream of events may be silent for long
        answer.pipe(to)
      }
    })
    real.on('error', () => to.destroy())
    to.on('close', () => real.destroy())
    if (body === undefined) from.pipe(real)
    else real.end(body)
  }

  const server = createServer(async (from, to) => {
    if (!from.url?.includes('/containers/create')) return pass(from, to)
    const asked = JSON.parse(await readAll(from))
    containers.push(asked)
    const { DeviceRequests, Runtime, ...HostConfig } = asked.HostConfig
    pass(from, to, JSON.stringify({ ...asked, HostConfig }))
  })
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { dockerHost: `unix://${socketPath}`, containers }
}

async function readAll(stream: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}
