/**
 * docs/spec/targets.md, 2.22 on containers: one that prints without end, one that sends a million chunks, one that
 * forks without end.
 */
import { statSync } from 'node:fs'
import { expect } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { type ContainerService, startedContainerService } from '../support/container-service.ts'
import type { DockerEngine } from '../support/docker-engine.ts'
import { until } from '../support/served-service.ts'

const ONE = { workersMin: 1, workersMax: 1, stopGraceMs: 200 }
// A million of them take 3 minutes on two cores, and the default is 10; ms.
const CHUNKS_MS = 60 * 60_000
// Two files of 8 MB of the engine, and what it writes before it looks at the size; source:
// runtimes/docker/container-options.
const LOG_BYTES = 2 * 8_000_000 + 2_000_000

const LOUD = `
def handler(job):
    while True:
        print("x" * 60)
`

const CHUNKS = `
import os, socket, threading
from urllib.parse import urlsplit

CONNECTIONS = 4
UNANSWERED = 64

def send(job, count):
    """Past the runtime, which sends one piece after the other and waits for each answer."""
    address = os.environ["RUNPOD_WEBHOOK_POST_STREAM"].replace("$RUNPOD_POD_ID", os.environ["RUNPOD_POD_ID"])
    parts = urlsplit(address.replace("$ID", job["id"]))
    request = "\\r\\n".join([
        f"POST {parts.path}?{parts.query} HTTP/1.1",
        f"host: {parts.netloc}",
        f"authorization: {os.environ['RUNPOD_AI_API_KEY']}",
        "content-length: 12",
        "",
        '{"output":1}',
    ]).encode()
    connection = socket.create_connection((parts.hostname, parts.port))
    while count > 0:
        sent = min(count, UNANSWERED)
        connection.sendall(request * sent)
        answers = b""
        while answers.count(b"HTTP/1.1 ") < sent:
            part = connection.recv(65536)
            if not part:
                raise ConnectionError(f"closed with {count} chunks to go")
            answers += part
        count -= sent

def handler(job):
    count = -(-job["input"]["chunks"] // CONNECTIONS)
    senders = [threading.Thread(target=send, args=(job, count)) for _ in range(CONNECTIONS)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    return "sent"
`

const BOMB = `
import os, time

def handler(job):
    made = 0
    try:
        while True:
            if os.fork() == 0:
                time.sleep(600)
            made += 1
    except OSError as error:
        print(f"stopped at {made}: {error}", flush=True)
    time.sleep(600)
`

/** The wait of another client meanwhile, in ms. */
async function answersOthers(service: ContainerService): Promise<number> {
  const startedAt = performance.now()
  await service.get('/v2/calm/health')
  expect(await service.jobEnd('calm', await service.run('calm', { n: 1 }))).toMatchObject({ status: 'COMPLETED' })
  return Math.round(performance.now() - startedAt)
}

async function started(engine: DockerEngine): Promise<ContainerService> {
  const service = await startedContainerService(engine, { args: ['--stop-grace', '200'] })
  await service.createContainers('calm', ONE, { prepared: 0 })
  return service
}

/** Prints without end: the lines of the job are capped, and so is the file of the engine. */
export async function printInContainers(engine: DockerEngine, { runs, lines }: { runs: number; lines: number }) {
  let slowestMs = 0
  let logBytes = 0
  for (let run = 0; run < runs; run++) {
    const service = await started(engine)
    await service.createContainerHandler('loud', LOUD, ONE, { prepared: 0 })
    const id = await service.run('loud', {})
    const { container } = await service.holderOf(id)
    const file = await service.docker('inspect', '--format', '{{.LogPath}}', container)
    let kept = 0
    do {
      slowestMs = Math.max(slowestMs, await answersOthers(service))
      logBytes = Math.max(logBytes, bytesOf(file) + bytesOf(`${file}.1`))
      kept = (await service.get(`/api/jobs/${id}/logs?tail=${lines}`)).lines.length
    } while (kept < lines)
    expect(logBytes).toBeLessThan(LOG_BYTES)
    expect(await service.stop()).toMatchObject({ exitCode: 0 })
  }
  return { runs, slowestMs, logBytes }
}

// The folder of the engine may belong to somebody else, or to another machine.
function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Sends more chunks than a job may have: the rest is not stored, and the job ends as it should. */
export async function streamInContainers(engine: DockerEngine, { runs, past }: { runs: number; past: number }) {
  let slowestMs = 0
  const most = limit('chunksPerJob')
  for (let run = 0; run < runs; run++) {
    const service = await started(engine)
    await service.createContainerHandler('chunks', CHUNKS, { ...ONE, executionTimeoutMs: CHUNKS_MS }, { prepared: 0 })
    const id = await service.run('chunks', { chunks: most + past })
    let status = 'IN_QUEUE'
    while (status === 'IN_QUEUE' || status === 'IN_PROGRESS') {
      slowestMs = Math.max(slowestMs, await answersOthers(service))
      status = (await service.get(`/v2/chunks/status/${id}`)).status
    }
    expect(status).toBe('COMPLETED')
    const [stored] = service.readDatabase('SELECT count(*) AS count FROM job_chunks')
    expect(stored).toEqual({ count: most })
    expect(await service.stop()).toMatchObject({ exitCode: 0 })
  }
  return { runs, slowestMs }
}

/** Forks without end: the limit of processes holds, and the container is ended with all that is in it. */
export async function forkInContainers(engine: DockerEngine, { runs }: { runs: number }) {
  let slowestMs = 0
  for (let run = 0; run < runs; run++) {
    const service = await started(engine)
    await service.createContainerHandler('bomb', BOMB, ONE, { prepared: 0 })
    const id = await service.run('bomb', {})
    const { container, id: workerId } = await service.holderOf(id)
    const limited = () =>
      until(async () => {
        const { lines } = await service.get(`/api/workers/${workerId}/logs`)
        const said = lines.map(({ line }: { line: string }) => /stopped at (\d+)/.exec(line)?.[1]).find(Boolean)
        expect(Number(said)).toBeGreaterThan(0)
        return Number(said)
      })
    expect(await limited()).toBeLessThan(512)
    for (let n = 0; n < 5; n++) slowestMs = Math.max(slowestMs, await answersOthers(service))
    await service.post(`/v2/bomb/cancel/${id}`)
    await service.ask('POST', `/api/workers/${workerId}/stop`) // it may have ended already, as it did not obey
    await until(async () => expect(await service.containers()).not.toContain(container))
    expect(await service.stop()).toMatchObject({ exitCode: 0 })
  }
  return { runs, slowestMs }
}
