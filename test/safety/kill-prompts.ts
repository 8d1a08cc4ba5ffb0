/** The service is killed while ComfyUI clients send prompts and follow them: docs/spec/comfyui.md, 10. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import { limit } from '../../src-main/contract/limits.ts'
import { type ServedService, servedService, until } from '../support/served-service.ts'

const SKETCH = fileURLToPath(new URL('../../resources/node/sketch/handler.ts', import.meta.url))
const GRAPH = readFileSync(new URL('../../../shared/workflows/01_api_sd15-txt2img.json', import.meta.url), 'utf8')
const CLIENTS = 6
// Prompts that a client sends before the kill, if that comes late.
const PROMPTS = 4
const LARGE_EACH = 10
const LARGE = 'x'.repeat(limit('payloadInRowBytes'))
// The kill comes after so many answers and messages about prompts, another number in each run.
const SPREAD = 400
const STEP = 137
const ENDED_WITHIN_MS = 60_000
const RUNS_PER_FOLDER = 50

type Client = {
  readonly id: string
  /** Numbers of prompts by id, in the order in which they were sent. */
  readonly sent: Map<string, number>
  readonly acknowledged: Set<string>
  /** Ids of prompts, once for each `execution_success`. */
  readonly ended: string[]
}

/** Kills the service with SIGKILL, starts it again, and looks for every prompt in the history. */
export async function killPrompts({ runs }: { runs: number }) {
  const seen = { prompts: 0, sentAgain: 0, endedBefore: 0, slowestMs: 0 }
  for (let done = 0; done < runs; ) {
    const service = servedService()
    await service.start()
    await service.createEndpoint('sketch', {
      ...{ handler: SKETCH, workflows: {}, workersMin: 2, workersMax: 2, comfyuiWithoutKey: true },
    })
    for (let n = 0; n < RUNS_PER_FOLDER && done < runs; n++, done++)
      await oneRun(service, 1 + ((done * STEP) % SPREAD), seen)
    expect(await service.stop()).toMatchObject({ exitCode: 0 })
  }
  return { runs, ...seen }
}

async function oneRun(service: ServedService, killAfter: number, seen: Record<string, number>): Promise<void> {
  let events = 0
  let killed: Promise<void> | undefined
  const note = () => {
    events += 1
    if (events === killAfter) killed = service.kill()
  }
  const clients = Array.from(
    { length: CLIENTS },
    (_one, at): Client => ({
      ...{ id: `client-${at}`, sent: new Map(), acknowledged: new Set(), ended: [] },
    }),
  )
  await Promise.all(clients.map((client, at) => sendAll(service, client, at * PROMPTS, note)))
  killed ??= service.kill()
  await killed
  const endedBefore = clients.flatMap(({ ended }) => ended)

  const startedAt = performance.now()
  await service.start()
  const sockets = clients.map((client) => follow(service, client, () => undefined))
  await Promise.all(sockets.map(({ opened }) => opened))
  for (const { id: clientId, sent, acknowledged } of clients)
    for (const [id, n] of sent) {
      if (acknowledged.has(id)) continue
      expect(await send(service, { clientId, id, n })).toBe(200)
      seen.sentAgain = (seen.sentAgain ?? 0) + 1
    }
  await until(async () => {
    expect(await read(service, '/prompt')).toEqual({ exec_info: { queue_remaining: 0 } })
  }, ENDED_WITHIN_MS)
  const ms = Math.round(performance.now() - startedAt)

  const all = new Map(clients.flatMap(({ sent }) => [...sent]))
  // Results are stored after the job has ended.
  const history = await until(async () => {
    const found = await read(service, '/history')
    expect(Object.keys(found).toSorted()).toEqual([...all.keys()].toSorted())
    return found
  })
  for (const [id, n] of all) {
    const { prompt, status, outputs } = history[id]
    expect([prompt[2][3].inputs.seed, status.status_str, outputs[9].images.length]).toEqual([n, 'success', 1])
  }
  const ended = clients.flatMap((client) => client.ended)
  expect(ended.length).toBe(new Set(ended).size)
  for (const { socket } of sockets) socket.terminate()
  expect((await ask(service, '/history', { clear: true })).status).toBe(200)
  expect(service.integrity()).toEqual(['ok'])
  seen.prompts = (seen.prompts ?? 0) + all.size
  seen.endedBefore = (seen.endedBefore ?? 0) + endedBefore.length
  seen.slowestMs = Math.max(seen.slowestMs ?? 0, ms)
}

/** Sends prompts until the service is gone or all are sent. */
async function sendAll(service: ServedService, client: Client, first: number, note: () => void): Promise<void> {
  const { socket, opened } = follow(service, client, note)
  const isOpen = await opened.then(
    () => true,
    () => false,
  )
  for (let n = first; isOpen && n < first + PROMPTS; n++) {
    const id = randomUUID()
    client.sent.set(id, n)
    const status = await send(service, { clientId: client.id, id, n }).catch(() => undefined)
    if (status === undefined) break
    expect(status).toBe(200)
    client.acknowledged.add(id)
    note()
  }
  await new Promise((resolve) => {
    const isDone = () => client.ended.length === client.acknowledged.size || socket.readyState === WebSocket.CLOSED
    if (isDone()) return resolve(undefined)
    socket.on('message', () => isDone() && resolve(undefined)).once('close', resolve)
  })
  socket.terminate()
}

function follow(service: ServedService, { id, ended }: Client, note: () => void) {
  const socket = new WebSocket(`${service.url().replace('http', 'ws')}/comfy/sketch/ws?clientId=${id}`)
  socket.on('message', (data, isBinary) => {
    if (isBinary) return note()
    const { type, data: told } = JSON.parse(String(data))
    if (told.prompt_id !== undefined) note()
    if (type === 'execution_success') ended.push(told.prompt_id)
  })
  const opened = new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  opened.catch(() => undefined)
  socket.on('error', () => undefined)
  return { socket, opened }
}

type Sent = { readonly clientId: string; readonly id: string; readonly n: number }

async function send(service: ServedService, { clientId, id, n }: Sent): Promise<number> {
  const graph = JSON.parse(GRAPH)
  Object.assign(graph[3].inputs, { seed: n, steps: 1 + (n % 4) })
  Object.assign(graph[5].inputs, { width: 64, height: 64 })
  if (n % LARGE_EACH === 0) graph[6].inputs.text = LARGE
  return (await ask(service, '/prompt', { prompt: graph, client_id: clientId, prompt_id: id })).status
}

const ask = (service: ServedService, path: string, body?: object) =>
  fetch(`${service.url()}/comfy/sketch${path}`, body && { method: 'POST', body: JSON.stringify(body) })

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON of any shape
const read = async (service: ServedService, path: string): Promise<any> => (await ask(service, path)).json()
