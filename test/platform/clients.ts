/** The public clients that tests run, and their versions. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

type Client = {
  readonly installer: 'pip' | 'npm'
  readonly name: string
  /** Made by the platform, so changed words in it matter. */
  readonly isOfPlatform: boolean
  /** Pre-releases count as newest versions too. */
  readonly pre: boolean
}

const CLIENTS = {
  worker: { installer: 'pip', name: 'runpod', isOfPlatform: true, pre: false },
  apps: { installer: 'pip', name: 'runpod', isOfPlatform: true, pre: true },
  olderApps: { installer: 'pip', name: 'runpod-flash', isOfPlatform: true, pre: true },
  javascript: { installer: 'npm', name: 'runpod-sdk', isOfPlatform: true, pre: true },
  agents: { installer: 'npm', name: '@runpod/mcp-server', isOfPlatform: true, pre: true },
  openai: { installer: 'pip', name: 'openai', isOfPlatform: false, pre: true },
  openaiJavascript: { installer: 'npm', name: 'openai', isOfPlatform: false, pre: true },
} as const satisfies Record<string, Client>

export type ClientName = keyof typeof CLIENTS

export const CLIENT_NAMES = Object.keys(CLIENTS) as ClientName[]

export type Versions = Readonly<Record<ClientName, string>>

/** The record of the last run of `npm run test:platform`. */
export const SEEN = fileURLToPath(new URL('seen.json', import.meta.url))

/** The folder of a run while it lasts. */
const { PLATFORM_WATCH } = process.env

const versions: Versions =
  PLATFORM_WATCH === undefined
    ? JSON.parse(readFileSync(SEEN, 'utf8')).versions
    : JSON.parse(readFileSync(join(PLATFORM_WATCH, 'versions.json'), 'utf8'))

/** The version that tests use: that of the last run or, during a run, the newest. */
export const versionOf = (client: ClientName): string => versions[client]

/** The same as an argument of the installer. */
export const requirementOf = (client: ClientName): string => requirement(client, versionOf(client))

export function requirement(client: ClientName, version: string): string {
  const { installer, name } = CLIENTS[client]
  return `${name}${installer === 'pip' ? '==' : '@'}${version}`
}

/** Packages of npm that tests import, at the newest version during a run. */
export function watchedModules(): Readonly<Record<string, string>> {
  if (PLATFORM_WATCH === undefined) return {}
  const names = [CLIENTS.javascript.name, CLIENTS.openaiJavascript.name]
  return Object.fromEntries(names.map((name) => [name, join(PLATFORM_WATCH, 'node_modules', name)]))
}

export const isOfPlatform = (client: ClientName): boolean => CLIENTS[client].isOfPlatform

export const installerOf = (client: ClientName): 'pip' | 'npm' => CLIENTS[client].installer

/** Asks the registries. @throws where one does not answer */
export function newestVersion(client: ClientName): string {
  const { installer, name, pre } = CLIENTS[client]
  if (installer === 'npm') {
    // In the order of versions; one alone is no list.
    return [JSON.parse(output('npm', ['view', name, 'versions', '--json']))].flat().at(-1)
  }
  const options = ['--dry-run', '--no-deps', '--ignore-installed', '--quiet', '--disable-pip-version-check']
  const args = ['-m', 'pip', 'install', ...options, ...(pre ? ['--pre'] : []), '--report', '-', name]
  return JSON.parse(output('python3', args)).install[0].metadata.version
}

const output = (program: string, args: readonly string[]) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
