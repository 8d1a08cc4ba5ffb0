/**
 * The credentials that `docker login` has stored: in its own file, or with a program of the system's keychain that the
 * file names. Source: docker's documentation of credential stores and helpers.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { readConfig, textField } from './docker-config.ts'
import type { EngineSurroundings } from './find-engine.ts'
import { registryName } from './image-name.ts'

/** What the engine hands to a registry. */
export type RegistryLogin =
  | { readonly username: string; readonly password: string; readonly serveraddress: string }
  | { readonly identitytoken: string; readonly serveraddress: string }

// The name under which docker stores the login to Docker Hub.
const HUB_ADDRESS = 'https://index.docker.io/v1/'
// A helper may open a keychain that asks a person, who is not there; ms. Source: ours.
const HELPER_LIMIT_MS = 5000
// What a helper gives as the user of a token; source: docker's protocol of helpers.
const TOKEN_USER = '<token>'

/**
 * The stored login to a registry; undefined where there is none.
 * @param registry as `registryOf` names it
 * @throws Error when the program that keeps it fails
 */
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
  if (!/^[\w.-]+$/.test(name)) throw new Error(`the credential helper ${name} of docker has a bad name`)
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
  // Where no more files can be opened it has none, whatever its type says, and its error tells why.
  if (child.stdin === undefined) return promise
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stdin.on('error', () => undefined) // it may end without reading
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
