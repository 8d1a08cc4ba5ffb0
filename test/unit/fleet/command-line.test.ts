import { expect, test } from 'vitest'
import { commandLine } from '../../../src-main/fleet/process/command-line.ts'
import type { WorkerSpec } from '../../../src-main/services/ports/fleet.ts'

const SPEC: WorkerSpec = {
  endpointId: 'e',
  workerId: 'w',
  handler: undefined,
  command: 'uvicorn app:app',
  cwd: '/app',
  python: 'python3',
  container: undefined,
  loadBalanced: undefined,
  app: undefined,
  env: { HOME: '/nowhere' },
}
const RUNTIMES = { pythonPath: '/python', node: { program: '/node', main: '/main.ts' } }
const SERVICE = { PATH: '/usr/bin', VIRTUAL_ENV: '/service/env', RUNPOD_API_KEY: 'secret' }

const environmentOf = (more: Partial<WorkerSpec>) => {
  const { PATH, VIRTUAL_ENV, RUNPOD_API_KEY } = commandLine({ ...SPEC, ...more }, SERVICE, RUNTIMES).env
  return { PATH, VIRTUAL_ENV, RUNPOD_API_KEY }
}

test.each<[string, Partial<WorkerSpec>, ReturnType<typeof environmentOf>]>([
  ['those of the service', {}, { PATH: '/usr/bin', VIRTUAL_ENV: '/service/env', RUNPOD_API_KEY: undefined }],
  [
    'those that the endpoint keeps',
    { searchPath: '/own/env/bin:/bin', virtualEnv: '/own/env' },
    { PATH: '/own/env/bin:/bin', VIRTUAL_ENV: '/own/env', RUNPOD_API_KEY: undefined },
  ],
  [
    'of a shell without a virtual environment, not that of the service',
    { searchPath: '/bin' },
    { PATH: '/bin', VIRTUAL_ENV: undefined, RUNPOD_API_KEY: undefined },
  ],
  [
    'variables of the endpoint before all',
    { searchPath: '/bin', virtualEnv: '/own', env: { PATH: '/mine', VIRTUAL_ENV: '/mine/env' } },
    { PATH: '/mine', VIRTUAL_ENV: '/mine/env', RUNPOD_API_KEY: undefined },
  ],
])('PATH and VIRTUAL_ENV of a worker are %s', (_whose, more, expected) => {
  expect(environmentOf(more)).toEqual(expected)
})
