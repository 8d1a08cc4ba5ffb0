import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError, usageError } from './cli-error.ts'
import { dataFolder } from './data-folder.ts'
import type { Surroundings } from './surroundings.ts'

/** Options that say which service is meant. */
export type ServiceOptions = { readonly url?: string; readonly key?: string; readonly data?: string }

/** A service and the key to it. */
export type FoundService = { readonly url: string; readonly key: string }

/** What a running service writes into its data folder as `service.json`. */
export type ServiceFile = { readonly pid: number; readonly url: string }

/**
 * Finds the service that a command talks to: by address, else by data folder. An option beats an environment variable,
 * so that `--data` is not silently overruled by a SVC_BASE_URL of the shell.
 * @throws CliError NOT_RUNNING, KEY_MISSING, USAGE
 */
export async function findService(options: ServiceOptions, surroundings: Surroundings): Promise<FoundService> {
  const { env } = surroundings
  const folder = dataFolder(options.data, surroundings)
  const address = options.url || (options.data ? undefined : env.SVC_BASE_URL)
  if (!address) return byDataFolder(folder, options.key || (options.data ? undefined : env.SVC_API_KEY))

  const url = checkedUrl(address)
  const key = options.key || env.SVC_API_KEY || (await keyOfSameService(folder, url))
  if (!key) throw new CliError('KEY_MISSING', { url })
  return { url, key }
}

/** Reads `service.json` of a data folder; undefined where there is none, or where its process has ended. */
export async function readServiceFile(folder: string): Promise<ServiceFile | undefined> {
  const text = await readIfThere(join(folder, 'service.json'))
  if (text === undefined) return undefined
  const content = parseServiceFile(text)
  // Another program may listen on the port of a service that crashed; it must not be sent the key.
  return content !== undefined && isAlive(content.pid) ? content : undefined
}

/** Reads the account key of a data folder; undefined where there is none. */
export async function readAccountKey(folder: string): Promise<string | undefined> {
  return (await readIfThere(join(folder, 'account.key')))?.trim() || undefined
}

async function byDataFolder(folder: string, givenKey: string | undefined): Promise<FoundService> {
  const service = await readServiceFile(folder)
  if (service === undefined) throw new CliError('NOT_RUNNING', { data: folder })
  const key = givenKey || (await readAccountKey(folder))
  if (!key) throw new CliError('KEY_MISSING', { url: service.url })
  return { url: service.url, key }
}

/** The key of the data folder belongs to one service, and is never sent to another address. */
async function keyOfSameService(folder: string, url: string): Promise<string | undefined> {
  const service = await readServiceFile(folder)
  return service !== undefined && service.url === url ? readAccountKey(folder) : undefined
}

function checkedUrl(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(`The address ${address} is not an http address. Give one like http://127.0.0.1:8790.`)
  }
  // Clients of the platform are configured with `/v2` at the end; the service is the same.
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v2$/, '')}`
}

function parseServiceFile(text: string): ServiceFile | undefined {
  try {
    const { pid, url } = JSON.parse(text)
    return Number.isInteger(pid) && typeof url === 'string' ? { pid, url } : undefined
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
    return codeOf(error) === 'EPERM'
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw usageError(
      `${path} cannot be read (${codeOf(error)}). Check its permissions, or name the service with --url and --key.`,
    )
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
