/** Starts the service and a floor, each in its own process, ready for the same calls. */
import { join } from 'node:path'
import { startFloorWorker } from './floor-worker.ts'
import { withFolder } from './folders.ts'
import { startProgram } from './programs.ts'
import {
  createEndpoint,
  createWarmEndpoint,
  type Service,
  type ServiceEnvironment,
  startService,
  type WorkerSettings,
} from './service.ts'

/** Where a client sends its calls. */
export type Target = { readonly port: number; readonly path: string; readonly headers: readonly string[] }

/** Both sides of a row. */
export type Sides = { readonly ours: Target; readonly bare: Target }

/** The same with what a row needs to measure more. */
export type SidesAndService = Sides & { readonly service: Service; readonly folder: string }

/** More variables for the two sides. */
export type SideVariables = { readonly service: ServiceEnvironment; readonly floor: ServiceEnvironment }

const SKETCH = join(import.meta.dirname, '../../../resources/node/sketch/handler.ts')

const AS_THEY_ARE: SideVariables = { service: {}, floor: {} }

/** Measures `run` and a server that stores and answers. The endpoint is paused, so that only submits count. */
export function besideAcceptFloor<T>(
  measure: (sides: SidesAndService) => Promise<T>,
  variables: SideVariables = AS_THEY_ARE,
): Promise<T> {
  return withService(variables.service, async (service, folder) => {
    const floor = await startProgram<number>('accept-floor', [join(folder, 'floor.db')], variables.floor)
    try {
      await createEndpoint(service, { id: 'paused', command: 'true', workersMin: 0, workersMax: 1 })
      await service.call('POST', '/api/endpoints/paused/pause')
      const ours = { port: service.port, path: '/v2/paused/run', headers: [service.auth] }
      return await measure({ service, folder, ours, bare: { port: floor.ready, path: '/run', headers: [] } })
    } finally {
      await floor.stop()
    }
  })
}

/** Measures `/prompt` of a paused endpoint, and that of a ComfyUI server which runs nothing. */
export function besideComfyuiServer<T>(measure: (sides: Sides) => Promise<T>): Promise<T> {
  return withService({}, async (service) => {
    const server = await startProgram<number>('comfyui-server')
    try {
      const settings = { handler: SKETCH, workflows: {}, workersMax: 1, comfyuiWithoutKey: true }
      await createEndpoint(service, { id: 'paused', ...settings })
      await service.call('POST', '/api/endpoints/paused/pause')
      const ours = { port: service.port, path: '/comfy/paused/prompt', headers: [] }
      return await measure({ ours, bare: { port: server.ready, path: '/prompt', headers: [] } })
    } finally {
      await server.stop()
    }
  })
}

/**
 * Measures `runsync` and a server that stores a job and hands it to a waiting worker. Both sides have a worker of
 * the same program.
 * @param settings the worker; `stored: false` keeps the floor from storing anything
 */
export function besideHandOffFloor<T>(
  { stored = true, ...worker }: WorkerSettings & { readonly stored?: boolean },
  measure: (sides: SidesAndService) => Promise<T>,
  variables: SideVariables = AS_THEY_ARE,
): Promise<T> {
  return withService(variables.service, async (service, folder) => {
    const database = stored ? join(folder, 'floor.db') : '-'
    const floor = await startProgram<number>('hand-off-floor', [database], variables.floor)
    const stopWorker = startFloorWorker(floor.ready, worker)
    try {
      await createWarmEndpoint(service, 'node', worker)
      const ours = { port: service.port, path: '/v2/node/runsync', headers: [service.auth] }
      return await measure({ service, folder, ours, bare: { port: floor.ready, path: '/runsync', headers: [] } })
    } finally {
      await Promise.all([floor.stop(), stopWorker()])
    }
  })
}

function withService<T>(env: ServiceEnvironment, use: (service: Service, folder: string) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const service = await startService(join(folder, 'service'), env)
    try {
      return await use(service, folder)
    } finally {
      await service.stop()
    }
  })
}
