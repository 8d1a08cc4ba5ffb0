import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, posix, win32 } from 'node:path'
import { parseEnvFile } from '../../lib/env-file.ts'
import { errorCode } from '../../lib/error-code.ts'
import { isAlive } from '../../lib/node/is-alive.ts'
import { shellQuoted } from '../../lib/text.ts'
import { defaultDataFolder } from '../headless/called-as.ts'
import { CliError, usageError } from './cli-error.ts'
import type { Surroundings } from './surroundings.ts'

export type ServiceOptions = { readonly url?: string; readonly key?: string; readonly data?: string }

export type FoundService = {
  readonly url: string
  readonly key: string
  readonly certificate?: string
  readonly keyFile?: string
  readonly by: string
}

export type ServiceFile = { readonly pid: number; readonly url: string; readonly database: number }

/**
 * Option beats variable, then `.env`, login and data folder, so a shell's SVC_BASE_URL never overrides `--data`. A key
 * without address ignores logins.
 * @throws CliError NOT_RUNNING, KEY_MISSING, USAGE
 */
export async function findService(options: ServiceOptions, surroundings: Surroundings): Promise<FoundService> {
  const folder = dataFolder(options.data, surroundings)
  if (options.data && !options.url) return byDataFolder(folder, options.key, '--data')

  const { SVC_BASE_URL, SVC_API_KEY } = await variables(surroundings)
  const login = await readLogin(surroundings)
  const usesLogin = !surroundings.env.SVC_DATA && !SVC_API_KEY
  const key = options.key || SVC_API_KEY
  const [address, by = ''] = [
    [options.url, '--url'],
    [surroundings.env.SVC_BASE_URL, 'SVC_BASE_URL'],
    [SVC_BASE_URL, 'SVC_BASE_URL of a .env file'],
    [usesLogin ? login?.url : undefined, '`drydock login`'],
  ].find(([named]) => named) ?? [undefined]
  if (!address) return byDataFolder(folder, key, surroundings.env.SVC_DATA ? 'SVC_DATA' : "the user's data folder")

  const url = checkedUrl(address)
  const isOfLogin = login !== undefined && login.url === url
  const pinned = isOfLogin && login.certificate !== undefined ? { certificate: login.certificate } : {}
  if (key) return { url, key, ...pinned, by }
  if (isOfLogin) return { ...login, by }
  const keyFile = await keyFileOfSameService(folder, url)
  const found = keyFile && (await readAccountKey(folder))
  if (!found) throw new CliError('KEY_MISSING', { url })
  return { url, key: found, keyFile, by }
}

async function variables({ env, cwd }: Surroundings): Promise<Readonly<Record<string, string | undefined>>> {
  const { SVC_BASE_URL, SVC_API_KEY, SVC_DATA } = env
  // A data folder names its service too; with both variables nothing else is needed.
  if ((SVC_BASE_URL && SVC_API_KEY) || (SVC_DATA && !SVC_BASE_URL)) return env
  const file = await readEnvFile(cwd)
  return { SVC_BASE_URL: SVC_BASE_URL || file.SVC_BASE_URL, SVC_API_KEY: SVC_API_KEY || file.SVC_API_KEY }
}

/** Reads `service.json` of a data folder; undefined if missing, of an ended process, or copied. */
export async function readServiceFile(folder: string): Promise<ServiceFile | undefined> {
  const text = await readIfThere(join(folder, 'service.json'))
  if (text === undefined) return undefined
  const content = parseServiceFile(text)
  // Another program may use a crashed service's port; it must not receive the key.
  if (content === undefined || !isAlive(content.pid)) return undefined
  const { ino } = await stat(join(folder, 'drydock.db')).catch(() => ({ ino: content.database }))
  return ino === content.database ? content : undefined
}

export async function readAccountKey(folder: string): Promise<string | undefined> {
  return (await readIfThere(keyFileOf(folder)))?.trim() || undefined
}

const keyFileOf = (folder: string) => join(folder, 'account.key')

async function byDataFolder(folder: string, givenKey: string | undefined, by: string): Promise<FoundService> {
  const service = await readServiceFile(folder)
  if (service === undefined) throw new CliError('NOT_RUNNING', { data: folder, quoted: shellQuoted(folder) })
  const { url } = service
  if (givenKey) return { url, key: givenKey, by }
  const key = await readAccountKey(folder)
  if (!key) throw new CliError('KEY_MISSING', { url })
  return { url, key, keyFile: keyFileOf(folder), by }
}

/** The data folder's key is never sent to another service's address. */
async function keyFileOfSameService(folder: string, url: string): Promise<string | undefined> {
  return (await readServiceFile(folder))?.url === url ? keyFileOf(folder) : undefined
}

export function checkedUrl(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(`The address ${address} is not an http address. Give one like http://127.0.0.1:8790.`)
  }
  // Clients of the platform are configured with `/v2` at the end.
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v2$/, '')}`
}

function parseServiceFile(text: string): ServiceFile | undefined {
  try {
    const { pid, url, database } = JSON.parse(text)
    return Number.isInteger(pid) && typeof url === 'string' ? { pid, url, database } : undefined
  } catch {
    return undefined
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined
    throw usageError(
      `${path} cannot be read (${errorCode(error)}). Check its permissions, or name the service with --url and --key.`,
    )
  }
}

type DataFolderSource = Pick<Surroundings, 'env' | 'cwd' | 'platform' | 'home'>

/** @param given the value of `--data`, relative to the caller's folder */
export function dataFolder(given: string | undefined, source: DataFolderSource): string {
  const path = pathOf(source)
  const chosen = given || source.env.SVC_DATA
  return chosen ? path.resolve(source.cwd, chosen) : defaultDataFolder(source)
}

function pathOf({ platform }: Pick<DataFolderSource, 'platform'>) {
  return platform === 'win32' ? win32 : posix
}

// Login storage; the Python package reads the same file: resources/python/svc/_service.py.

/** The key is sent only to this address, and only under a pinned certificate. */
export type Login = { readonly url: string; readonly key: string; readonly certificate?: string }

type LoginSource = Pick<Surroundings, 'env' | 'home'>

/** JSON with `url`, `key` and optional `certificate`, readable only by its owner. */
export function loginFile({ env, home }: LoginSource): string {
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'svc', 'credentials.json')
}

export async function readLogin(source: LoginSource): Promise<Login | undefined> {
  try {
    const { url, key, certificate } = JSON.parse(await readFile(loginFile(source), 'utf8'))
    if (typeof url !== 'string' || typeof key !== 'string') return undefined
    return { url, key, ...(typeof certificate === 'string' ? { certificate } : {}) }
  } catch {
    return undefined
  }
}

/** Atomic, and the key is never readable by others. */
export async function writeLogin(source: LoginSource, login: Login): Promise<void> {
  const file = loginFile(source)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await chmod(dirname(file), 0o700)
  const written = `${file}.${randomUUID()}`
  try {
    await writeFile(written, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(written, file)
  } catch (error) {
    await rm(written, { force: true })
    throw error
  }
}

export async function removeLogin(source: LoginSource): Promise<void> {
  await rm(loginFile(source), { force: true })
}

/** Reads the nearest `.env` file upwards; empty if missing or unreadable. */
export async function readEnvFile(folder: string): Promise<Readonly<Record<string, string>>> {
  for (let at = folder; ; at = dirname(at)) {
    try {
      return parseEnvFile(await readFile(join(at, '.env'), 'utf8'))
    } catch (error) {
      // Skips a folder of this name; an unreadable file ends the search, as in Python.
      if (!['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errorCode(error))) return {}
    }
    if (dirname(at) === at) return {}
  }
}
