import { canAsk, readSecret } from '../../../app/cli/ask.ts'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError, usageError } from '../../../app/cli/cli-error.ts'
import { checkedUrl, loginFile, readLogin, removeLogin, writeLogin } from '../../../app/cli/find-service.ts'
import type { Output } from '../../../app/cli/output.ts'
import { globalOptions, outputOf } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { isLoopbackHost } from '../../../lib/own-addresses.ts'

const KEY = { name: 'key', question: 'Account key:', nothing: 'You are logged in as before.' }
const WHICH = 'Name the service: drydock login --url http://ADDRESS:8790'

export function addLogin(login: CliCommand, surroundings: Surroundings): void {
  login
    .option('--fingerprint <sha256>', 'fingerprint of the certificate, as printed by a service started with --tls')
    .details(`
The key is read from standard input or a prompt, and sent to that address only. It is stored in a file that only you can
read. Commands use it unless --url, --data, SVC_BASE_URL or SVC_DATA names a service. On a terminal, without --url, this
shows which service is saved.

A service listens only on its own machine. To reach one elsewhere, open a tunnel on the same port:
  $ ssh -N -L 8790:127.0.0.1:8790 user@machine
For a tunnel on another port, tell the service that address: drydock serve --allow-host 127.0.0.1:9000

A service started with --tls prints the fingerprint of its certificate. In a terminal you are asked to compare it;
scripts pass it with --fingerprint.

Examples:
  $ drydock login --url http://127.0.0.1:8790 < account.key
  $ drydock login --url https://box.lan:8790 --fingerprint 1A:2B:...
  $ drydock login`)
    .action(async ({ fingerprint }: { readonly fingerprint?: string }, command: CliCommand) => {
      const output = outputOf(command, surroundings)
      const { url: given, key: givenKey } = globalOptions(command)
      if (!given) {
        if (givenKey || surroundings.stdin.isTTY !== true) throw usageError(WHICH)
        await showLogin(output, surroundings)
        return
      }
      const url = checkedUrl(given)
      const pinned = url.startsWith('https:') ? await pinCertificate(url, fingerprint, output, surroundings) : {}
      const key = givenKey || (await readSecret(KEY, surroundings)).trim()
      const { createClient } = await import('../../../app/cli/client.ts')
      const { version } = await createClient({ url, key, ...pinned }).call('info')
      await writeLogin(surroundings, { url, key, ...pinned })
      if (output.json) return output.document({ url, version, file: loginFile(surroundings) })
      output.line(`Logged in to ${url} (Drydock ${version}). The key is in ${loginFile(surroundings)}.`)
      if (isOpenToOthers(url))
        output.note(
          `warning: the key and all data go to ${url} unencrypted. Use https or an SSH tunnel instead, see \`drydock login --help\`.`,
        )
    })
}

/**
 * Compares the service's certificate with the fingerprint its user received.
 * @throws CliError USAGE, ABANDONED, NOT_REACHABLE
 */
async function pinCertificate(
  url: string,
  fingerprint: string | undefined,
  output: Output,
  surroundings: Surroundings,
): Promise<{ readonly certificate?: string }> {
  const { readCertificate } = await import('../../../app/client/pinned-certificate.ts')
  const shown = await readCertificate(url).catch((cause: Error) => {
    throw new CliError('NOT_REACHABLE', { url, why: cause.message }, { cause })
  })
  if (shown === undefined) return {}
  const isNamed = fingerprint?.replaceAll(':', '').toLowerCase() === shown.fingerprint.replaceAll(':', '').toLowerCase()
  if (fingerprint !== undefined && !isNamed)
    throw usageError(`The certificate of ${url} has another fingerprint: ${shown.fingerprint}. Nothing was sent there.`)
  if (fingerprint === undefined) {
    const found = `The certificate of ${url} has the fingerprint ${shown.fingerprint}.`
    if (!canAsk(output, surroundings))
      throw usageError(`${found} Compare it with the one that the service printed, and pass it with --fingerprint.`)
    output.note(found)
    if (!(await surroundings.ask.yes('Did `drydock serve` print the same one?')))
      throw new CliError('ABANDONED', { why: 'Nothing was sent there.' })
  }
  return { certificate: shown.certificate }
}

async function showLogin(output: Output, surroundings: Surroundings): Promise<void> {
  const login = await readLogin(surroundings)
  if (output.json) output.document({ url: login?.url ?? null })
  else if (login === undefined) output.hint(`You are not logged in to a service. ${WHICH}`)
  else output.hint(`You are logged in to ${login.url}. \`drydock logout\` logs you out.`)
}

/** True if traffic to the address is unencrypted on the network. */
export function isOpenToOthers(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !isLoopbackHost(hostname)
}

export function addLogout(logout: CliCommand, surroundings: Surroundings): void {
  logout
    .details('\nThe key itself stays valid.')
    .examples('drydock logout')
    .action(async (_options: object, command: CliCommand) => {
      const output = outputOf(command, surroundings)
      const login = await readLogin(surroundings)
      await removeLogin(surroundings)
      output.result(
        { url: login?.url ?? null },
        login === undefined ? 'You were not logged in.' : `Logged out of ${login.url}.`,
      )
    })
}
