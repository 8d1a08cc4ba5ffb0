/**
 * Credentials of `docker login`, from its file or a keychain helper, and the registry of an image. Source: docker's
 * documentation of credential stores and helpers.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type EngineSurroundings, readConfig, textField } from './find-engine.ts'

export type RegistryLogin =
  | { readonly username: string; readonly password: string; readonly serveraddress: string }
  | { readonly identitytoken: string; readonly serveraddress: string }

const HUB_ADDRESS = 'https://index.docker.io/v1/'
// A helper may prompt, with nobody there; ms. Source: ours.
const HELPER_LIMIT_MS = 5000
// The user name helpers report for a token; source: docker's protocol of helpers.
const TOKEN_USER = '<token>'

export async function dockerLogin(
  surroundings: Pick<EngineSurroundings, 'env' | 'home'>,
  registry: string,
): Promise<RegistryLogin | undefined> {
  const { env, home } = surroundings
  const config = readConfig(join(env.DOCKER_CONFIG ?? join(home, '.docker'), 'config.json'))
  const address = registry === 'docker.io' ? HUB_ADDRESS : registry
  const helper = textField(config.credHelpers, registry) ?? textField(config.credHelpers, address) ?? config.credsStore
  if (typeof helper === 'string' && helper !== '') return askHelper(helper, address, env)
  const names = Object.keys(asRecord(config.auths)).filter((name) => registryName(name) === registry)
  return names
    .map((name) => stored(asRecord(asRecord(config.auths)[name]), address))
    .find((login) => login !== undefined)
}

function stored(entry: Readonly<Record<string, unknown>>, serveraddress: string): RegistryLogin | undefined {
  const { auth, identitytoken } = entry
  if (typeof identitytoken === 'string' && identitytoken !== '') return { identitytoken, serveraddress }
  const [, username, password] = /^([^:]+):(.*)$/s.exec(Buffer.from(String(auth ?? ''), 'base64').toString()) ?? []
  return username === undefined || password === undefined ? undefined : { username, password, serveraddress }
}

async function askHelper(
  name: string,
  address: string,
  env: EngineSurroundings['env'],
): Promise<RegistryLogin | undefined> {
  if (!/^[\w.-]+$/.test(name)) throw new Error(`the credential helper ${name} of docker has an invalid name`)
  const program = `docker-credential-${name}`
  const { code, output } = await run(program, address, env)
  if (code !== 0) {
    if (/credentials not found/i.test(output)) return undefined
    throw new Error(`${program} failed: ${output.trim().split('\n', 1)[0]}`)
  }
  const { Username, Secret } = asRecord(JSON.parse(output))
  if (typeof Username !== 'string' || typeof Secret !== 'string' || Secret === '') return undefined
  return Username === TOKEN_USER
    ? { identitytoken: Secret, serveraddress: address }
    : { username: Username, password: Secret, serveraddress: address }
}

function run(
  program: string,
  input: string,
  env: EngineSurroundings['env'],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: number | null; output: string }>()
  const child = spawn(program, ['get'], {
    env: { ...env },
    timeout: HELPER_LIMIT_MS,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let output = ''
  child.on('error', (error) => reject(new Error(`${program} cannot be run: ${error.message}`)))
  // Without file descriptors stdin is missing despite its type; the error gives the reason.
  if (child.stdin === undefined) return promise
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  child.on('close', (code, signal) => {
    if (signal === null) resolve({ code, output })
    else reject(new Error(`${program} did not answer within ${HELPER_LIMIT_MS / 1000} s`))
  })
  return promise
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

const DOCKER_HUB = 'docker.io'
const HUB_NAMES = [DOCKER_HUB, 'index.docker.io', 'registry-1.docker.io']

/** An image's registry: `ghcr.io`, `127.0.0.1:5000`, or `docker.io` if unnamed. */
export function registryOf(image: string): string {
  const [first = '', ...more] = image.split('/')
  // Source: the engine's rule; otherwise it is a Docker Hub user.
  const isHost = more.length > 0 && (first === 'localhost' || /[.:]/.test(first))
  return isHost ? registryName(first) : DOCKER_HUB
}

export function registryName(server: string): string {
  const host = server.replace(/^https?:\/\//, '').split('/', 1)[0] ?? ''
  return HUB_NAMES.includes(host) ? DOCKER_HUB : host
}

export function splitImage(image: string): { readonly fromImage: string; readonly tag: string } {
  const at = image.indexOf('@')
  if (at >= 0) return { fromImage: image.slice(0, at), tag: image.slice(at + 1) }
  const colon = image.lastIndexOf(':')
  // A colon before a slash belongs to a port.
  if (colon < 0 || image.includes('/', colon)) return { fromImage: image, tag: 'latest' }
  return { fromImage: image.slice(0, colon), tag: image.slice(colon + 1) }
}
