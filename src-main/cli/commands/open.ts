import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import { openSession } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

/** `drydock open`: show the web page of the running service in the browser. */
export function addOpen(program: Command, surroundings: Surroundings): void {
  program
    .command('open')
    .description('open the web page of the running service in the browser')
    .option('--print', 'only print the address')
    .addHelpText(
      'after',
      '\nThe key is never part of the address.\n\nExamples:\n  $ drydock open\n  $ drydock open --print',
    )
    .action(async ({ print }: { print?: true }, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      // Asked first, so that a service that is gone is said here and not by an empty browser page.
      await client.call('info')
      const url = `${client.url}/`
      if (print !== true) await openBrowser(url, surroundings.platform)
      if (output.json) output.document({ url })
      else output.line(url)
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
