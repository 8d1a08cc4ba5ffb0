/** The commands that store the key to a service, and forget it. */
import type { Command } from 'commander'
import { readSecret } from '../ask.ts'
import { usageError } from '../cli-error.ts'
import { checkedUrl, loginFile, readLogin, removeLogin, writeLogin } from '../find-service.ts'
import type { Output } from '../output.ts'
import { globalOptions, outputOf } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

const KEY = { name: 'key', question: 'Account key:', nothing: 'You are logged in as before.' }
const WHICH = 'Name the service: drydock login --url http://ADDRESS:8790'

/** `drydock login`: remember a service and the key to it. */
export function addLogin(program: Command, surroundings: Surroundings): void {
  program
    .command('login')
    .description('save the address and the key of the service that commands and scripts use')
    .addHelpText(
      'after',
      `
The key is read from standard input or a prompt, and sent to that address only. It is stored in a file that only you can
read. Commands use it unless --url, --data, SVC_BASE_URL or SVC_DATA names a service. On a terminal, without --url, this
shows which service is saved.

A service listens only on its own machine. To reach one elsewhere, open a tunnel on the same port:
  $ ssh -N -L 8790:127.0.0.1:8790 user@machine
For a tunnel on another port, tell the service that address: drydock serve --allow-host 127.0.0.1:9000

Examples:
  $ drydock login --url http://127.0.0.1:8790 < account.key
  $ drydock login`,
    )
    .action(async (_options: object, command: Command) => {
      const output = outputOf(command, surroundings)
      const { url: given, key: givenKey } = globalOptions(command)
      if (!given) {
        if (givenKey || surroundings.stdin.isTTY !== true) throw usageError(WHICH)
        await showLogin(output, surroundings)
        return
      }
      const url = checkedUrl(given)
      const key = givenKey || (await readSecret(KEY, surroundings)).trim()
      const { createClient } = await import('../client.ts')
      const { version } = await createClient({ url, key }).call('info')
      await writeLogin(surroundings, { url, key })
      if (output.json) {
        output.document({ url, version, file: loginFile(surroundings) })
        return
      }
      output.line(`Logged in to ${url} (Drydock ${version}). The key is in ${loginFile(surroundings)}.`)
      if (isOpenToOthers(url))
        output.note(
          `warning: the key and all data go to ${url} unencrypted. Use https or an SSH tunnel instead, see \`drydock login --help\`.`,
        )
    })
}

async function showLogin(output: Output, surroundings: Surroundings): Promise<void> {
  const login = await readLogin(surroundings)
  if (output.json) output.document({ url: login?.url ?? null })
  else if (login === undefined) output.hint(`You are not logged in to a service. ${WHICH}`)
  else output.hint(`You are logged in to ${login.url}. \`drydock logout\` logs you out.`)
}

/** Whether what goes to an address is read by whoever is on the way. */
export function isOpenToOthers(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

/** `drydock logout`: forget the service and the key of `drydock login`. */
export function addLogout(program: Command, surroundings: Surroundings): void {
  program
    .command('logout')
    .description('remove the service and the key saved by `drydock login`')
    .addHelpText('after', '\nThe key itself stays valid.\n\nExamples:\n  $ drydock logout')
    .action(async (_options: object, command: Command) => {
      const output = outputOf(command, surroundings)
      const login = await readLogin(surroundings)
      await removeLogin(surroundings)
      if (output.json) output.document({ url: login?.url ?? null })
      else output.line(login === undefined ? 'You were not logged in.' : `Logged out of ${login.url}.`)
    })
}
