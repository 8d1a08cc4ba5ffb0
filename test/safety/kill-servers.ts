/** ComfyUI servers of an endpoint, or the service, are killed while they run graphs: docs/spec/image-workflows.md, 6.2. */
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { type FakeServer, fakeServer } from '../support/comfyui/fake-server.ts'
import { type ServedService, servedService, until } from '../support/served-service.ts'

const BRIDGE = fileURLToPath(new URL('../../resources/node/comfyui/handler.ts', import.meta.url))
const SERVERS = 4
const MODELS = ['a', 'b', 'c', 'd'].map((name) => `${name}.safetensors`)
const GRAPHS = 16
// The kill comes after so many graphs have ended, another number in each run.
const STEP = 7
const ENDED_WITHIN_MS = 120_000
const RUNS_PER_FOLDER = 50

/**
 * Kills one server in each run, starts it again at once or at the end, and looks for every graph's job.
 * @param ofService kills the service instead, and starts it again at once
 */
export async function killServers({ runs, ofService = false }: { runs: number; ofService?: boolean }) {
  const seen = { graphs: 0, ranAgain: 0, completedAgain: 0, slowestMs: 0, loads: 0 }
  for (let done = 0; done < runs; ) {
    let ended = 0
    let onEnd: (() => void) | undefined
    const one = () =>
      fakeServer({
        models: MODELS,
        async runs() {
          await new Promise((resolve) => setTimeout(resolve, 20)) // the graph itself
          ended += 1
          onEnd?.()
        },
      })
    const servers = await Promise.all(Array.from({ length: SERVERS }, one))
    const service = servedService()
    await service.start()
    const [server, ...moreServers] = servers.map(({ url }) => url())
    await service.createEndpoint('comfy', {
      ...{ handler: BRIDGE, workflows: { server, moreServers, checkModels: false } },
    })
    for (let n = 0; n < RUNS_PER_FOLDER && done < runs; n++, done++) {
      const victim = servers[(done * STEP) % SERVERS]
      if (victim === undefined) throw new Error('there are no servers')
      const killAt = ended + 1 + ((done * STEP) % GRAPHS)
      const killed = new Promise<void>((resolve) => {
        onEnd = () => {
          if (ended !== killAt) return
          const again = done % 2 === 0 ? victim.start : () => Promise.resolve()
          resolve(ofService ? service.kill().then(() => service.start()) : victim.kill().then(again))
        }
      })
      await oneRun(service, { servers, killed, first: done * GRAPHS, isPaused: ofService }, seen)
      if (!ofService && done % 2 === 1) await victim.start()
    }
    expect(await service.stop()).toMatchObject({ exitCode: 0 })
    for (const each of servers) seen.loads += each.loads()
    for (const each of servers) await each.kill()
  }
  return { runs, ...seen }
}

type Run = {
  readonly servers: readonly FakeServer[]
  readonly killed: Promise<void>
  readonly first: number
  /** All graphs are queued before one runs. */
  readonly isPaused: boolean
}

async function oneRun(service: ServedService, { servers, killed, first, isPaused }: Run, seen: Record<string, number>) {
  const startedAt = performance.now()
  if (isPaused) await service.post('/api/endpoints/comfy/pause')
  const ids = new Map<number, string>()
  for (let n = first; n < first + GRAPHS; n++) ids.set(n, (await send(service, n)).id)
  // The kill may come before the answer.
  if (isPaused) await service.post('/api/endpoints/comfy/resume').catch(() => undefined)
  await killed
  for (const id of ids.values())
    await until(async () => {
      const { status, error } = await service.get(`/v2/comfy/status/${id}`)
      expect([status, error]).toEqual(['COMPLETED', undefined])
    }, ENDED_WITHIN_MS)
  const ms = Math.round(performance.now() - startedAt)

  const ran = new Map<number, number>()
  for (const graph of servers.flatMap((one) => one.ran)) {
    const n = Number(graph[9]?.inputs.number)
    ran.set(n, (ran.get(n) ?? 0) + 1)
  }
  for (const [n, id] of ids) {
    const { history, output } = await service.get(`/api/jobs/${id}`)
    const events: readonly string[] = history.map(({ event }: { event: string }) => event)
    const counts = (event: string) => events.filter((one) => one === event).length
    expect([counts('submit'), counts('complete'), output.images.length, output.errors]).toEqual([1, 1, 1, undefined])
    // It ran once on a server that was not killed; a graph that finished just before its server was killed ran again.
    const again = counts('rescue') + counts('release')
    expect(ran.get(n)).toBeGreaterThanOrEqual(1)
    expect(ran.get(n)).toBeLessThanOrEqual(1 + again)
    seen.ranAgain = (seen.ranAgain ?? 0) + again
    seen.completedAgain = (seen.completedAgain ?? 0) + ((ran.get(n) ?? 1) - 1)
  }
  seen.graphs = (seen.graphs ?? 0) + GRAPHS
  seen.slowestMs = Math.max(seen.slowestMs ?? 0, ms)
}

function send(service: ServedService, n: number): Promise<{ readonly id: string }> {
  const workflow = {
    1: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: MODELS[n % MODELS.length] } },
    9: { class_type: 'SaveImage', inputs: { images: ['1', 0], number: n } },
  }
  return service.post('/v2/comfy/run', { input: { workflow } })
}
