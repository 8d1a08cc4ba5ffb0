import { spawn } from 'node:child_process'
import type { ServiceClient } from '../client/service-client.ts'
import { CliError } from './cli-error.ts'
import type { Surroundings } from './surroundings.ts'

/**
 * The link works once and only for this user.
 * @throws CliError LINK_FOR_ANYONE if others could use it, NO_BROWSER
 */
export async function openPages(client: ServiceClient, { platform }: Pick<Surroundings, 'platform'>): Promise<void> {
  const { url, sameUser } = await client.call('sessionLinkCreate', { query: { sameUser: 'true' } })
  // Other users can read the browser's command line, except on Windows.
  if (!sameUser && platform !== 'win32') throw new CliError('LINK_FOR_ANYONE', { url })
  await openBrowser(url, platform)
}

export function hasBrowser({ env, platform, stdin, stdout }: Surroundings): boolean {
  if (stdin.isTTY !== true || stdout.isTTY !== true) return false
  // A terminal of a pipeline, or of a remote user.
  if (env.CI || env.SSH_CONNECTION) return false
  return platform === 'darwin' || platform === 'win32' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  // `start` takes the first quoted argument as a title, here empty.
  win32: ['cmd', '/c', 'start', '""'],
}

// ms after which a running opener counts as a browser that it started. Source: ours.
const OPENED_AFTER_MS = 2000

export function openBrowser(url: string, platform: NodeJS.Platform): Promise<void> {
  const [program, ...args] = OPENERS[platform] ?? ['xdg-open']
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
    child.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? `${program} is not installed` : error.message
      reject(new CliError('NO_BROWSER', { why, url }, { cause: error }))
    })
    child.once('spawn', () => {
      child.unref()
      const stays = setTimeout(resolve, OPENED_AFTER_MS)
      child.once('exit', (code) => {
        clearTimeout(stays)
        if (code === 0) resolve()
        else reject(new CliError('NO_BROWSER', { why: `${program} exited with code ${code}`, url }))
      })
    })
  })
}
