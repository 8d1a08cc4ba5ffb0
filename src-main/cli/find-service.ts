/** Which service a command talks to and with which key: by address, by login, or by data folder. */
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, posix, win32 } from 'node:path'
import { parseEnvFile } from '../domain/env-file.ts'
import { errorCode } from '../domain/error-code.ts'
import { shellQuoted } from '../domain/text.ts'
import { defaultDataFolder } from '../server/called-as.ts'
import { CliError, usageError } from './cli-error.ts'
import type { Surroundings } from './surroundings.ts'

/** Options that say which service is meant. */
export type ServiceOptions = { readonly url?: string; readonly key?: string; readonly data?: string }

/**
 * A service and the key to it; `keyFile` is where the key was read from, if that was a file with nothing else in it.
 * `by` is what named the service, for a person.
 */
export type FoundService = {
  readonly url: string
  readonly key: string
  /** PEM of the certificate that `drydock login` pinned. */
  readonly certificate?: string
  readonly keyFile?: string
  readonly by: string
}

/** What a running service writes into its data folder as `service.json`. */
export type ServiceFile = { readonly pid: number; readonly url: string; readonly database: number }

/**
 * Finds the service that a command talks to: by address, else by login, else by data folder. An option beats an
 * environment variable, so that `--data` is not silently overruled by a SVC_BASE_URL of the shell; a variable beats a
 * `.env` file, and both beat a login. A key without an address is not for the service of the login, as in Python.
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

/** Address and key of the environment, else of a `.env` file upward from here. */
async function variables({ env, cwd }: Surroundings): Promise<Readonly<Record<string, string | undefined>>> {
  const { SVC_BASE_URL, SVC_API_KEY, SVC_DATA } = env
  // A data folder names its service too, and with both variables there is nothing to look for.
  if ((SVC_BASE_URL && SVC_API_KEY) || (SVC_DATA && !SVC_BASE_URL)) return env
  const file = await readEnvFile(cwd)
  return { SVC_BASE_URL: SVC_BASE_URL || file.SVC_BASE_URL, SVC_API_KEY: SVC_API_KEY || file.SVC_API_KEY }
}

/** Reads `service.json` of a data folder; undefined if there is none, its process has ended, or the folder is a copy. */
export async function readServiceFile(folder: string): Promise<ServiceFile | undefined> {
  const text = await readIfThere(join(folder, 'service.json'))
  if (text === undefined) return undefined
  const content = parseServiceFile(text)
  // Another program may listen on the port of a service that crashed; it must not be sent the key.
  if (content === undefined || !isAlive(content.pid)) return undefined
  const { ino } = await stat(join(folder, 'drydock.db')).catch(() => ({ ino: content.database }))
  return ino === content.database ? content : undefined
}

/** Reads the account key of a data folder; undefined where there is none. */
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

/** The key of the data folder belongs to one service, and is never sent to another address. */
async function keyFileOfSameService(folder: string, url: string): Promise<string | undefined> {
  return (await readServiceFile(folder))?.url === url ? keyFileOf(folder) : undefined
}

/** The address of a service in one form. @throws CliError USAGE */
export function checkedUrl(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(`The address ${address} is not an http address. Give one like http://127.0.0.1:8790.`)
  }
  // Clients of the platform are configured with `/v2` at the end; the service is the same.
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v2$/, '')}`
}

function parseServiceFile(text: string): ServiceFile | undefined {
  try {
    const { pid, url, database } = JSON.parse(text)
    return Number.isInteger(pid) && typeof url === 'string' ? { pid, url, database } : undefined
  } catch {
    // Half written or damaged: no service can be found by it, which is what undefined says.
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
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

/** What the path of the data folder depends on. */
type DataFolderSource = Pick<Surroundings, 'env' | 'cwd' | 'platform' | 'home'>

/**
 * The data folder of a command, absolute: `--data`, else `SVC_DATA`, else the user's default folder.
 * @param given the value of `--data`, relative to the caller's folder
 */
export function dataFolder(given: string | undefined, source: DataFolderSource): string {
  const path = pathOf(source)
  const chosen = given || source.env.SVC_DATA
  return chosen ? path.resolve(source.cwd, chosen) : defaultDataFolder(source)
}

function pathOf({ platform }: Pick<DataFolderSource, 'platform'>) {
  return platform === 'win32' ? win32 : posix
}

// What `drydock login` stores. The Python package reads the same file: resources/python/svc/_service.py.

/** A service and the key to it; the key is sent to this address and no other, and under a pinned certificate alone. */
export type Login = { readonly url: string; readonly key: string; readonly certificate?: string }

type LoginSource = Pick<Surroundings, 'env' | 'home'>

/** Path of the file: JSON with `url`, `key` and perhaps `certificate`, readable for its owner only. */
export function loginFile({ env, home }: LoginSource): string {
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'svc', 'credentials.json')
}

/** The login of this user; undefined where there is none, or the file cannot be read, as in Python. */
export async function readLogin(source: LoginSource): Promise<Login | undefined> {
  try {
    const { url, key, certificate } = JSON.parse(await readFile(loginFile(source), 'utf8'))
    if (typeof url !== 'string' || typeof key !== 'string') return undefined
    return { url, key, ...(typeof certificate === 'string' ? { certificate } : {}) }
  } catch {
    // Missing or damaged: nobody is logged in by it, which is what undefined says.
    return undefined
  }
}

/** Writes the login; a reader sees the old one or the new one, and never a key that others may read. */
export async function writeLogin(source: LoginSource, login: Login): Promise<void> {
  const file = loginFile(source)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await chmod(dirname(file), 0o700) // it may have been there before
  const written = `${file}.${randomUUID()}`
  try {
    await writeFile(written, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(written, file)
  } catch (error) {
    await rm(written, { force: true })
    throw error
  }
}

/** Forgets the login. */
export async function removeLogin(source: LoginSource): Promise<void> {
  await rm(loginFile(source), { force: true })
}

/** What the nearest `.env` file says, from a folder upward; nothing where there is none or it cannot be read. */
export async function readEnvFile(folder: string): Promise<Readonly<Record<string, string>>> {
  for (let at = folder; ; at = dirname(at)) {
    try {
      return parseEnvFile(await readFile(join(at, '.env'), 'utf8'))
    } catch (error) {
      // A folder of this name is no file, and the search goes on; a file that cannot be read ends it, as in Python.
      if (!['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errorCode(error))) return {}
    }
    if (dirname(at) === at) return {}
  }
}
