import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { openSession } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

/** `drydock open`: sign the browser in to the web pages of the running service. */
export function addOpen(program: Command, surroundings: Surroundings): void {
  program
    .command('open')
    .description('open the web pages of the running service in the browser, signed in')
    .option('--print', 'only print the sign-in link')
    .addHelpText(
      'after',
      `
The link works once, within a minute. It never contains the key.

Examples:
  $ drydock open
  $ drydock open --print`,
    )
    .action(async ({ print }: { print?: true }, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const link = (await client.call('sessionLinkCreate')).url
      if (print !== true) await openBrowser(link, surroundings.platform)
      const url = print === true ? link : `${client.url}/`
      if (output.json) output.document({ url })
      else output.line(print === true ? link : `Opened ${url} in the browser.`)
    })
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  // The empty text is the title that `start` takes from the first quoted argument.
  win32: ['cmd', '/c', 'start', '""'],
}

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
      resolve()
    })
  })
}
