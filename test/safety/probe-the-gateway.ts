/**
 * docs/spec/targets.md, 2.22, its last part: a container that looks for what it can reach besides the worker protocol.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { startedContainerService } from '../support/container-service.ts'
import type { DockerEngine } from '../support/docker-engine.ts'

// Asks each address in its input; the token is that of its worker.
const PROBE = `
import os, socket, urllib.error, urllib.request
from urllib.parse import urlsplit

base = urlsplit(os.environ["RUNPOD_WEBHOOK_GET_JOB"])
token = os.environ["RUNPOD_AI_API_KEY"]

def ask(method, path, key):
    headers = {"content-type": "application/json"} | ({} if key is None else {"authorization": key})
    body = b"{}" if method == "POST" else None
    request = urllib.request.Request(f"http://{base.netloc}{path}", data=body, headers=headers, method=method)
    try:
        return urllib.request.urlopen(request, timeout=60).status
    except urllib.error.HTTPError as error:
        return error.code

def connect(host, port):
    try:
        socket.create_connection((host, port), 2).close()
        return "connected"
    except OSError as error:
        return type(error).__name__

def handler(job):
    if job["input"].get("listen"):
        server = socket.create_server(("0.0.0.0", 8000))
        server.accept()
    keys = {"none": None, "wrong": "wrong", "own": token, "bearer": f"Bearer {token}"}
    return {
        "asked": [[ask(method, path, keys[key]) for key in keys] for method, path in job["input"]["ask"]],
        "connected": {f"{h or base.hostname}:{p}": connect(h or base.hostname, p) for h, p in job["input"]["connect"]},
        "lists": os.environ.get("SVC_API_KEY"),
    }
`

const PAGES = [
  '/',
  '/api/info',
  '/api/endpoints',
  '/api/workers',
  '/api/settings',
  '/api/events',
  '/healthz',
  '/ui',
  '/openapi.json',
]

/** Probes from a container as often as wanted; the addresses are those that a hostile image would try. */
export async function probeTheGateway(engine: DockerEngine, { runs }: { runs: number }) {
  const service = await startedContainerService(engine)
  const one = { workersMin: 1, workersMax: 1 }
  const container = { prepared: 0, egress: false }
  await service.createContainerHandler('probe', PROBE, one, container)
  await service.createContainerHandler('other', PROBE, one, container)
  const listening = await service.run('other', { listen: true, ask: [], connect: [] })
  const neighbour = await service.holderOf(listening)
  const address = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}'
  const neighbourAt = await service.docker('inspect', '--format', address, neighbour.container)
  const onLoopback = await loopbackListener()
  const userPort = Number(new URL(service.url()).port)

  const ask = [
    ...PAGES.map((path) => ['GET', path]),
    ['POST', '/api/endpoints'],
    ['POST', '/v2/other/run'],
    ['GET', `/v2/other/status/${listening}`],
    ['GET', `/v2/other/job-take/${neighbour.id}?w=1&job_in_progress=0`],
    ['POST', `/v2/other/job-done/${neighbour.id}/${listening}?w=1`],
    ['GET', '/v2/../api/info'],
    ['GET', '/v2/%2e%2e/api/info'],
  ]
  const connect = [
    ['', userPort],
    ['127.0.0.1', userPort],
    ['', onLoopback],
    [neighbourAt, 8000],
    ['172.17.0.1', userPort],
  ]
  for (let run = 0; run < runs; run++) {
    const record = await service.jobEnd('probe', await service.run('probe', { ask, connect }))
    expect(record).toMatchObject({ status: 'COMPLETED' })
    const { asked, connected } = record.output
    for (const [at, statuses] of asked.entries())
      for (const status of statuses) expect({ ask: ask[at], status }).toEqual({ ask: ask[at], status: refusal(status) })
    expect(Object.entries(connected).filter(([, what]) => what === 'connected')).toEqual([])
    expect(record.output.lists).toBeNull()
  }
  expect(await service.get(`/v2/other/status/${listening}`)).toMatchObject({ status: 'IN_PROGRESS' })
  return { runs, asked: ask.length * 4, connected: connect.length }
}

/** 401, 403 and 404 are fine as they are; anything else is an answer that a probe must not get. */
const refusal = (status: number) => ([401, 403, 404].includes(status) ? status : 'a refusal')

async function loopbackListener(): Promise<number> {
  const server = createServer((_, answer) => answer.end('hello'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}
