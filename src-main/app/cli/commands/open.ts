import type { Command } from 'commander'
import { openPages } from '../open-pages.ts'
import { openSession } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

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
        output.result({ url }, url)
        return
      }
      await openPages(client, surroundings)
      const url = `${client.url}/`
      output.result({ url }, `Opened ${url} in the browser.`)
    })
}
