import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { Agent } from 'node:http'
import { join } from 'node:path'

export type EngineAddress = {
  readonly host: string
  /** For the user: 'DOCKER_HOST', 'the context colima', 'a usual place'. */
  readonly source: string
  readonly agent?: Agent | undefined
}

export type EngineSurroundings = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly user?: string | undefined
}

/** Best first. A named socket is the only one: another engine would be a surprise. Source: ours. */
export function engineAddresses(surroundings: EngineSurroundings): readonly EngineAddress[] {
  const { env } = surroundings
  if (env.DOCKER_HOST !== undefined && env.DOCKER_HOST !== '') return [{ host: env.DOCKER_HOST, source: 'DOCKER_HOST' }]
  const context = currentContext(surroundings)
  if (context !== undefined) return [context]
  return usualSockets(surroundings)
    .filter((path) => path.startsWith('//./') || existsSync(path))
    .map((path) => ({ host: path.startsWith('//./') ? `npipe:${path}` : `unix://${path}`, source: 'a usual place' }))
}

export function engineSockets(surroundings: EngineSurroundings): readonly string[] {
  const SOCKET = 'unix://'
  return engineAddresses(surroundings).flatMap(({ host }) =>
    host.startsWith(SOCKET) ? [host.slice(SOCKET.length)] : [],
  )
}

// Docker's own, Docker Desktop's, rootless, Colima's, Podman's.
function usualSockets({ env, home, platform }: EngineSurroundings): readonly string[] {
  if (platform === 'win32') return ['//./pipe/docker_engine', '//./pipe/podman-machine-default']
  const runtime = env.XDG_RUNTIME_DIR
  return [
    '/var/run/docker.sock',
    join(home, '.docker/run/docker.sock'),
    join(home, '.docker/desktop/docker.sock'),
    ...(runtime === undefined ? [] : [join(runtime, 'docker.sock')]),
    join(home, '.colima/default/docker.sock'),
    join(home, '.orbstack/run/docker.sock'),
    ...(runtime === undefined ? [] : [join(runtime, 'podman/podman.sock')]),
    '/run/podman/podman.sock',
  ]
}

type DockerConfig = Pick<EngineSurroundings, 'env' | 'home'>

function currentContext(surroundings: EngineSurroundings): EngineAddress | undefined {
  const config = readConfig(join(dockerFolder(surroundings), 'config.json'))
  const name = surroundings.env.DOCKER_CONTEXT ?? textField(config, 'currentContext')
  if (name === undefined || name === '' || name === 'default') return undefined
  const host = contextHost(surroundings, name)
  return host === undefined ? undefined : { host, source: `the context ${name}` }
}

const dockerFolder = ({ env, home }: DockerConfig) => env.DOCKER_CONFIG ?? join(home, '.docker')

export function contextHost(surroundings: DockerConfig, name: string): string | undefined {
  // Context folders are named by the hash of their name.
  const hash = createHash('sha256').update(name).digest('hex')
  const { Endpoints } = readConfig(join(dockerFolder(surroundings), 'contexts/meta', hash, 'meta.json'))
  return textField(field(Endpoints, 'docker'), 'Host')
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

export function readConfig(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

export function textField(value: unknown, name: string): string | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return typeof found === 'string' ? found : undefined
}
