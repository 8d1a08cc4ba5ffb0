/** Shared by the rows of containers: the engine, a service with it, and the docker command. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { dockerEngine } from '../../support/docker-engine.ts'
import { notMeasured, type Row } from '../report.ts'
import { withFolder } from './folders.ts'
import { createEndpoint, type Service, startService } from './service.ts'

/** Image of both sides. Source: test/support/docker-engine. */
export const IMAGE = 'python:3.11-slim-bookworm'
/** Folder with svc_worker. */
export const PYTHON_PATH = join(import.meta.dirname, '..', '..', '..', 'resources', 'python')

/** A service with containers. */
export type ContainerSide = {
  readonly service: Service
  readonly dockerHost: string
  /** Folder of the handler. */
  readonly folder: string
  readonly docker: (...argv: readonly string[]) => Promise<string>
  /** Makes an endpoint of containers with a handler that does nothing. */
  readonly createContainers: (id: string, settings: object, container: object) => Promise<void>
}

/** Measures with an engine, or says in a row why there is none. @param what name of that row */
export async function withContainers(
  what: string,
  measure: (side: ContainerSide) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const engine = await dockerEngine()
  if ('why' in engine) return [notMeasured(what, engine.why)]
  const { dockerHost } = engine
  return withFolder(async (folder) => {
    const handler = join(folder, 'handler.py')
    writeFileSync(handler, 'def handler(job):\n    return {}\n')
    const service = await startService(join(folder, 'service'), { DOCKER_HOST: dockerHost })
    const docker = async (...argv: readonly string[]) => {
      const { stdout } = await promisify(execFile)('docker', argv, { env: { ...process.env, DOCKER_HOST: dockerHost } })
      return stdout.trim()
    }
    try {
      return await measure({
        service,
        dockerHost,
        folder,
        docker,
        createContainers: (id, settings, container) =>
          createEndpoint(service, { id, handler, container: { image: IMAGE, ...container }, ...settings }),
      })
    } finally {
      await service.stop()
    }
  })
}

/** Looks again and again until it is so: nothing is measured meanwhile. */
export async function untilSo(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await new Promise((resolve) => setTimeout(resolve, 5))
}
