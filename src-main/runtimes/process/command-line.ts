import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { isNodeHandler } from '../../contract/endpoint.ts'
import { TOKEN_PARAMETER } from '../../contract/worker-protocol.ts'
import type { WorkerSpec } from '../port.ts'

export type CommandLine = {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export type Runtimes = {
  readonly pythonPath: string
  readonly node: { readonly program: string; readonly main: string }
}

// The service's own environment must not reveal another service or its key to workers.
const PRIVATE = /^(SVC_|RUNPOD_|DRYDOCK_|npm_|NODE_OPTIONS$)/

// A single handler file needs no package.json; parsing it twice is no reason to warn.
const NODE_OPTIONS = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON']

/**
 * Worker command: Python handlers run in svc_worker with their environment or a local `.venv`, TypeScript and
 * JavaScript in svc-worker, commands in the shell.
 * @param inherited service environment
 * @throws Error for the user if the handler file is missing
 */
export function commandLine(
  spec: WorkerSpec,
  inherited: Readonly<Record<string, string | undefined>>,
  runtimes: Runtimes,
): CommandLine {
  const base = Object.fromEntries(
    Object.entries({ ...inherited, ...programVariables(spec, inherited.PATH) }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !PRIVATE.test(entry[0]),
    ),
  )
  const { handler, command } = spec
  if (handler !== undefined) {
    if (!existsSync(handler)) throw new Error(`the handler file ${handler} does not exist`)
    const folder = dirname(handler)
    if (isNodeHandler(handler)) {
      const args = [...NODE_OPTIONS, runtimes.node.main, handler]
      return { program: runtimes.node.program, args, cwd: spec.cwd ?? folder, env: { ...base, ...spec.env } }
    }
    const pythons = [spec.virtualEnv, join(folder, '.venv')].flatMap((env) => (env ? [join(env, 'bin', 'python')] : []))
    return {
      program: pythons.find((python) => existsSync(python)) ?? spec.python,
      args: ['-m', 'svc_worker', handler],
      cwd: spec.cwd ?? folder,
      env: withPythonPath({ ...base, ...spec.env }, [runtimes.pythonPath, startFolder(runtimes)]),
    }
  }
  if (command === undefined) throw new Error('the endpoint has neither a handler nor a command')
  return {
    program: '/bin/sh',
    args: ['-c', `exec ${command}`],
    cwd: spec.cwd ?? process.cwd(),
    env: withTokenThatArrives(withPythonPath({ ...base, ...spec.env }, [startFolder(runtimes)])),
  }
}

const startFolder = ({ pythonPath }: Runtimes) => join(pythonPath, 'svc_start')

function withPythonPath(
  env: Readonly<Record<string, string>>,
  folders: readonly string[],
): Readonly<Record<string, string>> {
  const path = [...folders, env.PYTHONPATH].filter((part) => part !== undefined && part !== '').join(delimiter)
  return { PYTHONUNBUFFERED: '1', ...env, PYTHONPATH: path }
}

function programVariables(
  { searchPath, virtualEnv }: WorkerSpec,
  inheritedPath: string | undefined,
): Readonly<Record<string, string | undefined>> {
  if (searchPath === undefined && virtualEnv === undefined) return {}
  const path = searchPath ?? inheritedPath ?? ''
  const programs = virtualEnv && join(virtualEnv, 'bin')
  const hasPrograms = programs === undefined || path.split(delimiter).includes(programs)
  return { PATH: hasPrograms ? path : `${programs}${delimiter}${path}`, VIRTUAL_ENV: virtualEnv }
}

// The public SDK prefers a stored platform key over its token, which would be refused, so addresses then include the
// token, despite its log.
function withTokenThatArrives(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { HOME = homedir(), RUNPOD_AI_API_KEY: token = '' } = env
  if (!existsSync(join(HOME, '.runpod', 'config.toml'))) return env
  const address = (name: string, value: string) =>
    name.startsWith('RUNPOD_WEBHOOK_') ? `${value}&${TOKEN_PARAMETER}=${encodeURIComponent(token)}` : value
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, address(name, value)]))
}
