import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { openSession } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

/** `drydock open`: sign the browser in to the web pages of the running service. */
export function addOpen(open: Command, surroundings: Surroundings): void {
  open
    .option('--print', 'only print the sign-in link')
    .addHelpText(
      'after',
      `
The link works once, within a minute, and for your user of this machine only. It never contains the key. The link of a
service on another machine is only printed.

Examples:
  $ drydock open
  $ drydock open --print`,
    )
    .action(async ({ print }: { print?: true }, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      if (print === true) {
        const { url } = await client.call('sessionLinkCreate')
        if (output.json) output.document({ url })
        else output.line(url)
        return
      }
      const { url: link, sameUser } = await client.call('sessionLinkCreate', { query: { sameUser: 'true' } })
      // The link is on the command line of the browser, which other users can read, except on Windows.
      if (!sameUser && surroundings.platform !== 'win32') throw new CliError('LINK_FOR_ANYONE', { url: link })
      await openBrowser(link, surroundings.platform)
      const url = `${client.url}/`
      if (output.json) output.document({ url })
      else output.line(`Opened ${url} in the browser.`)
    })
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
      const why = error.code === 'ENOENT' ? `${program} is not there` : error.message
      reject(new CliError('NO_BROWSER', { why, url }, { cause: error }))
    })
    child.once('spawn', () => {
      child.unref()
      const stays = setTimeout(resolve, OPENED_AFTER_MS)
      child.once('exit', (code) => {
        clearTimeout(stays)
        if (code === 0) resolve()
        else reject(new CliError('NO_BROWSER', { why: `${program} found none, and ended with ${code}`, url }))
      })
    })
  })
}
