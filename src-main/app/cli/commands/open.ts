import type { CliCommand } from '../cli-command.ts'
import { openPages } from '../open-pages.ts'
import type { Surroundings } from '../surroundings.ts'

export function addOpen(open: CliCommand, surroundings: Surroundings): void {
  open
    .option('--print', 'only print the sign-in link')
    .details(`
The link works once, within a minute, and for your user of this machine only. It never contains the key. The link of a
service on another machine is only printed.

Examples:
  $ drydock open
  $ drydock open --print`)
    .onSession(async ({ client, output }, { print }: { print?: true }) => {
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
