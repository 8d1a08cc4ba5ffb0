/**
 * Mixed use of a busy service, all at once and for a given time: jobs small and large, streams, calls that wait, files
 * kept, graphs run, lists read, and listeners to events, one of which never reads.
 */
import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { type ClientRequest, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ServedService } from './served-service.ts'
import type { Target } from './web-client.ts'

const SKETCH = fileURLToPath(new URL('../../resources/node/sketch/handler.ts', import.meta.url))
const ECHO = 'export const handler = (job) => job.input\n'
const STREAM = `export async function* handler({ input }) {
  for (let n = 0; n < input.chunks; n += 1) yield { n, text: input.text }
}
`

/**
 * Makes the endpoints that the load needs: `echo` answers with its input, `stream` gives it in chunks, `sketch` draws.
 */
export async function createLoadedEndpoints(service: Pick<ServedService, 'folder' | 'createEndpoint'>): Promise<void> {
  const handlers = { echo: ECHO, stream: STREAM }
  for (const [id, code] of Object.entries(handlers)) {
    const handler = join(service.folder, `${id}.mjs`)
    writeFileSync(handler, code)
    await service.createEndpoint(id, { handler, workersMin: 1, workersMax: 1 })
  }
  await service.createEndpoint('sketch', { handler: SKETCH, workflows: {}, workersMin: 1, workersMax: 1 })
}

/** A load that runs. */
export type MixedLoad = {
  /** Ends it, and waits for what was asked. @returns requests answered, and those that were not answered well */
  readonly stop: () => Promise<{ readonly answered: number; readonly refused: readonly string[] }>
}

const FILE_BYTES = 200_000
const LARGE = 'x'.repeat(300_000)
const SMALL = 'y'.repeat(1000)
// Readers of events at once, in tabs and commands.
const READERS = 4
// How often the events are followed anew, in ms: tabs are opened and closed.
const READ_FOR_MS = 20_000

// Requests at once, at most.
const MOST_OPEN = 64

/** Requests a second of each kind; 75 in all. */
const RATES = {
  run: 25,
  status: 20,
  lists: 8,
  runsync: 8,
  stream: 4,
  upload: 5,
  large: 3,
  graph: 2,
} as const

/** Begins to load a service that has these endpoints. */
export function mixedLoad({ url, key }: Target): MixedLoad {
  const headers = { authorization: `Bearer ${key}` }
  const ended = new AbortController()
  const open = new Set<Promise<void>>()
  const recent: string[] = []
  const refused: string[] = []
  let answered = 0
  let turn = 0

  const ask = async (method: string, path: string, body?: unknown, type = 'application/json') => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body) }),
    })
    const text = await answer.text()
    answered += 1
    if (!answer.ok) refused.push(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`)
    return text
  }
  const submit = async (endpointId: string, input: object) => {
    const { id } = JSON.parse(await ask('POST', `/v2/${endpointId}/run`, { input }))
    return String(id)
  }
  const lists = ['/api/jobs?limit=50', '/api/endpoints', '/api/workers', '/api/workflow-runs?limit=50']

  const kinds: { readonly [Kind in keyof typeof RATES]: () => Promise<unknown> } = {
    run: async () => {
      recent.push(await submit('echo', { text: SMALL, n: turn }))
      if (recent.length > 200) recent.splice(0, 100)
    },
    status: async () => {
      const id = recent.at(turn % Math.max(1, recent.length))
      if (id !== undefined) await ask('GET', `/v2/echo/status/${id}`)
    },
    lists: () => ask('GET', lists[turn % lists.length] ?? ''),
    runsync: () => ask('POST', '/v2/echo/runsync', { input: { text: SMALL } }),
    stream: async () => {
      const id = await submit('stream', { text: SMALL, chunks: 20 })
      await ask('GET', `/v2/stream/stream/${id}?format=array`)
    },
    upload: () => {
      const bytes = randomBytes(FILE_BYTES)
      const hash = createHash('sha256').update(bytes).digest('hex')
      return ask('PUT', `/api/assets/${hash}?name=file-${turn}.bin`, bytes, 'application/octet-stream')
    },
    large: () => ask('POST', '/v2/echo/runsync', { input: { text: LARGE } }),
    graph: () =>
      ask('POST', '/api/workflow-runs', {
        endpointId: 'sketch',
        title: `Load ${turn}`,
        payload: JSON.stringify(graph(turn)),
      }),
  }

  const timers = Object.entries(RATES).map(([kind, rate]) =>
    setInterval(() => {
      // A service that is slower than this is asked less, as clients would who wait for their answers.
      if (open.size >= MOST_OPEN) return
      turn += 1
      const asked = kinds[kind as keyof typeof RATES]()
        .then(() => undefined)
        .catch((error: Error) => void refused.push(`${kind}: ${error.message}`))
        .finally(() => open.delete(asked))
      open.add(asked)
    }, 1000 / rate),
  )
  const follow = (reads: boolean): ClientRequest => {
    const request = get(`${url}/events`, { headers }, (answer) => void (reads ? answer.resume() : answer.pause()))
    return request.on('error', () => undefined)
  }
  const followAgain = async () => {
    while (!ended.signal.aborted) {
      const request = follow(true)
      await pause(READ_FOR_MS, undefined, { signal: ended.signal }).catch(() => undefined)
      request.destroy()
    }
  }
  const readers = Array.from({ length: READERS }, followAgain)
  const deaf = follow(false)

  return {
    async stop() {
      for (const timer of timers) clearInterval(timer)
      ended.abort()
      deaf.destroy()
      await Promise.all([...open, ...readers])
      return { answered, refused }
    },
  }
}

/** A small picture, each time another. */
function graph(seed: number): object {
  const node = (class_type: string, inputs: object) => ({ class_type, inputs })
  return {
    3: node('KSampler', {
      ...{ seed, steps: 2, cfg: 7, sampler_name: 'euler', scheduler: 'normal', denoise: 1 },
      ...{ model: ['4', 0], positive: ['6', 0], negative: ['7', 0], latent_image: ['5', 0] },
    }),
    4: node('CheckpointLoaderSimple', { ckpt_name: 'any.safetensors' }),
    5: node('EmptyLatentImage', { width: 128, height: 128, batch_size: 1 }),
    6: node('CLIPTextEncode', { text: `a boat ${seed}`, clip: ['4', 1] }),
    7: node('CLIPTextEncode', { text: '', clip: ['4', 1] }),
    8: node('VAEDecode', { samples: ['3', 0], vae: ['4', 2] }),
    9: node('SaveImage', { filename_prefix: 'load', images: ['8', 0] }),
  }
}
