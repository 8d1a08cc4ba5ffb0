/**
 * The proxy in one process for tests: a real listener and real HTTP workers on loopback, with the clock of the service
 * under test, which stands still.
 */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { createStreams, createWorkerStreams } from '../../src-main/app/http/streams.ts'
import { listen } from '../../src-main/http/server/listen.ts'
import { SERVICE_URL, type TestService } from './core.ts'
import { until } from './served-service.ts'
import { type Received, type Sending, send } from './web-client.ts'

// How often a worker that starts is asked.
const STARTING_MS = 50

/** The proxy of a service, with its native API for ComfyUI clients. */
export type Proxied = {
  /** Sends a request to it, with the account key and the Host of the service where nothing else is said. */
  readonly send: (path: string, sending?: Sending) => Promise<Received>
}

/** Opens a listener for the proxy of a service under test; what is for the service itself gets 404 there. */
export async function openProxy(service: TestService): Promise<Proxied> {
  const ready = Promise.resolve()
  const workers = createWorkerStreams(service.service(), ready)
  const { forUsers: streams } = createStreams(workers, service.service(), ready)
  const listener = await listen(() => new Response(null, { status: 404 }), 0, { streams })
  onTestFinished(() => listener.close(0))
  const url = `http://127.0.0.1:${listener.port}`
  const host = new URL(SERVICE_URL).host
  return {
    send: (path, sending = {}) =>
      send({ url, key: service.accountKey() }, path, { ...sending, headers: { host, ...sending.headers } }),
  }
}

/** A load-balanced worker in this process; `path` is answered for it with `status`. Gives the port it listens on. */
export async function openWorker(
  answer: RequestListener,
  status: () => number = () => 200,
  path = '/ping',
): Promise<number> {
  const server = createServer((incoming, response) => {
    if (incoming.url === path) response.writeHead(status()).end()
    else answer(incoming, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Lets the workers of an endpoint become ready: /ping goes over a real connection, so time alone does not bring it. */
export async function readyWorker(service: TestService, endpointId = 'web', workers = 1): Promise<void> {
  await until(async () => {
    await service.clock.advance(STARTING_MS)
    expect((await service.get(`/v2/${endpointId}/health`)).workers).toMatchObject({ idle: workers })
  })
}

/** Waits until the worker of an endpoint is known to listen on no port. */
export async function silentWorker(service: TestService, endpointId = 'web'): Promise<void> {
  await until(async () => {
    await service.clock.advance(STARTING_MS)
    expect((await service.get(`/api/endpoints/${endpointId}`)).waitingReason).toMatch(/nothing listens on its port/)
  })
}
