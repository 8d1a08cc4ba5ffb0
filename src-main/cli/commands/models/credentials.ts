import type { Command } from 'commander'
import { readSecret } from '../../ask.ts'
import { ago } from '../../format.ts'
import { openSession } from '../../session.ts'
import type { Surroundings } from '../../surroundings.ts'

const TOKEN = { name: 'token', question: 'Token:', nothing: 'No credentials were stored.' }
const PASSWORD = { name: 'password', question: 'Password:', nothing: 'No credentials were stored.' }

/** `drydock models credentials`: of the hosts that models come from. Secrets are asked for or read, never arguments. */
export function addCredentials(models: Command, surroundings: Surroundings): void {
  const credentials = models.command('credentials').description('store, list or remove credentials of hosts of models')

  credentials
    .command('list', { isDefault: true })
    .description('list the hosts; tokens and passwords are never shown')
    .addHelpText('after', '\nExamples:\n  $ drydock models credentials')
    .action(async (_options: object, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const answer = await client.call('modelCredentialsList')
      if (output.json) output.document(answer)
      else if (answer.credentials.length === 0) output.line('No credentials are stored.')
      else
        output.table(
          ['HOST', 'USER', 'CHANGED'],
          answer.credentials.map(({ host, username, updatedAt }) => [
            host,
            username ?? 'token',
            ago(updatedAt, surroundings.now()),
          ]),
        )
    })

  credentials
    .command('add')
    .description('store credentials of a host, encrypted; those of before are replaced')
    .argument('<host>', 'host, like huggingface.co')
    .option('--username <user>', 'user, where the host wants a password and no token')
    .addHelpText(
      'after',
      `
The token, or the password, is read from standard input, or asked for in a terminal. It is sent to this host alone.

Examples:
  $ drydock models credentials add huggingface.co < token.txt`,
    )
    .action(async (host: string, { username }: { username?: string }, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const secret = await readSecret(username === undefined ? TOKEN : PASSWORD, surroundings)
      const body = username === undefined ? { host, token: secret } : { host, username, password: secret }
      const answer = await client.call('modelCredentialsPut', { body })
      if (output.json) output.document(answer)
      else output.line(`credentials of ${host} stored`)
    })

  credentials
    .command('remove')
    .description('forget the credentials of a host')
    .argument('<host>', 'host, like huggingface.co')
    .addHelpText('after', '\nExamples:\n  $ drydock models credentials remove huggingface.co')
    .action(async (host: string, _options: object, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const answer = await client.call('modelCredentialsRemove', { path: { host } })
      if (output.json) output.document(answer)
      else output.line(`credentials of ${host} removed`)
    })
}
