import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { WorkerSpec } from '../../../src-main/runtimes/port.ts'
import { commandLine } from '../../../src-main/runtimes/process/command-line.ts'

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
    'the programs of the virtual environment first, then those of the service',
    { virtualEnv: '/own/env' },
    { PATH: '/own/env/bin:/usr/bin', VIRTUAL_ENV: '/own/env', RUNPOD_API_KEY: undefined },
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

test('a handler runs on the interpreter of its virtual environment, else of the one in its folder, else of the service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-env-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const handler = join(folder, 'handler.py')
  writeFileSync(handler, '')
  const program = (virtualEnv?: string) =>
    commandLine({ ...SPEC, command: undefined, handler, python: 'python3', virtualEnv }, SERVICE, RUNTIMES).program
  const withPython = (name: string) => {
    mkdirSync(join(folder, name, 'bin'), { recursive: true })
    writeFileSync(join(folder, name, 'bin', 'python'), '')
    return join(folder, name, 'bin', 'python')
  }
  expect(program()).toBe('python3')
  const inFolder = withPython('.venv')
  expect(program()).toBe(inFolder)
  const named = withPython('named')
  expect(program(join(folder, 'named'))).toBe(named)
  expect(program(join(folder, 'gone'))).toBe(inFolder)
})
