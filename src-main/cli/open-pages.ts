/** Opens the pages of a service in the browser of whoever calls the command, signed in. */
import { spawn } from 'node:child_process'
import type { ServiceClient } from '../client/service-client.ts'
import { CliError } from './cli-error.ts'
import type { Surroundings } from './surroundings.ts'

/**
 * Opens the pages in a browser, signed in by a link that works once and for this user alone.
 * @throws CliError LINK_FOR_ANYONE where others could use the link, NO_BROWSER
 */
export async function openPages(client: ServiceClient, { platform }: Pick<Surroundings, 'platform'>): Promise<void> {
  const { url, sameUser } = await client.call('sessionLinkCreate', { query: { sameUser: 'true' } })
  // The link is on the command line of the browser, which other users can read, except on Windows.
  if (!sameUser && platform !== 'win32') throw new CliError('LINK_FOR_ANYONE', { url })
  await openBrowser(url, platform)
}

/** Whether a browser can be opened here for a person: at a terminal of a machine with a screen of their own. */
export function hasBrowser({ env, platform, stdin, stdout }: Surroundings): boolean {
  if (stdin.isTTY !== true || stdout.isTTY !== true) return false
  // A terminal of a pipeline, or one whose person sits at another machine.
  if (env.CI || env.SSH_CONNECTION) return false
  return platform === 'darwin' || platform === 'win32' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  // The empty text is the title that `start` takes from the first quoted argument.
  win32: ['cmd', '/c', 'start', '""'],
}

// An opener that runs longer, in ms, has started a browser and stays with it. Source: ours.
const OPENED_AFTER_MS = 2000

/** @throws CliError NO_BROWSER */
function openBrowser(url: string, platform: NodeJS.Platform): Promise<void> {
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
