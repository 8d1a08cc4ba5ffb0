/** An app that runs as a user's does: built, unpacked, and released on a real service whose workers are processes. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startedService, until } from '../support/served-service.ts'

/** A released app. */
export type RunningApp = {
  /** Runs a job of an endpoint to its end. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare what comes with what is expected, whatever its form
  readonly job: (endpoint: string, input: object) => Promise<any>
  /** The values that a job yields. */
  readonly stream: (endpoint: string, input: object) => Promise<unknown>
  /** Asks a route of a load-balanced endpoint with the account key. */
  readonly request: (endpoint: string, path: string, init?: RequestInit) => Promise<Response>
  /** The same with a JSON body; gives the JSON of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly json: (endpoint: string, method: string, path: string, body?: object) => Promise<any>
}

/**
 * Starts a service and releases what an artifact holds, without ready images. Endpoints are asked by their names there.
 */
export async function runningApp(artifact: string): Promise<RunningApp> {
  const service = await startedService({ env: { DOCKER_HOST: 'unix:///nowhere/docker.sock' } })
  const folder = join(service.folder, 'app')
  mkdirSync(folder)
  execFileSync('tar', ['-xzf', artifact, '-C', folder])
  const releases = '/api/apps/demo/environments/production/releases'
  const { release: made } = await service.post(releases, { source: { folder }, withoutImages: true })
  const { release, endpoints } = await until(async () => {
    const progress = await service.get(`${releases}/${made.number}`)
    expect(progress.release).not.toMatchObject({ state: 'preparing' })
    return progress
  })
  expect(release).toMatchObject({ state: 'active', runsOn: 'processes' })
  const idOf = (name: string) => endpoints.find(({ resource }: { resource: string }) => resource === name).id
  const authorization = `Bearer ${readFileSync(join(service.data, 'account.key'), 'utf8').trim()}`
  // The apps keep state in the memory of a worker.
  const workers = new Map<string, string>()
  const request = async (name: string, path: string, init: RequestInit = {}) => {
    const affinity = { 'x-runpod-worker-id': workers.get(name) ?? '' }
    const headers = { ...init.headers, ...affinity, authorization }
    const answer = await fetch(`${service.url()}/lb/${idOf(name)}${path}`, { ...init, headers })
    workers.set(name, answer.headers.get('x-runpod-worker-id') ?? '')
    return answer
  }
  const run = async (name: string, input: object) => {
    const jobId = await service.run(idOf(name), input)
    return service.jobEnd(idOf(name), jobId)
  }
  return {
    job: run,
    async stream(name, input) {
      const { id } = await run(name, input)
      const { chunks } = await service.get(`/api/jobs/${id}/chunks`)
      return chunks.map(({ output }: { output: unknown }) => output)
    },
    request,
    async json(name, method, path, body) {
      const headers = { 'content-type': 'application/json' }
      const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) }
      return (await request(name, path, init)).json()
    },
  }
}
