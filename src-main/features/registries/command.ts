import { confirmDeletion, noteBroken, readSecret, YES } from '../../app/cli/ask.ts'
import type { CliCommand } from '../../app/cli/cli-command.ts'
import type { Surroundings } from '../../app/cli/surroundings.ts'
import { AppError } from '../../contract/errors.ts'
import { ago } from '../../lib/text.ts'

const PASSWORD = { name: 'password', question: 'Password or token:', nothing: 'No credentials were stored.' }

export function addRegistry(registry: CliCommand, surroundings: Surroundings): void {
  registry
    .command('add')
    .description('store credentials for a registry, encrypted; they replace those of the same name')
    .argument('<name>', 'name that endpoints use as --registry-auth')
    .requiredOption('--server <host>', 'host of the registry, like ghcr.io; docker.io for Docker Hub')
    .requiredOption('--username <user>', 'user of the registry')
    .details(`
The password, or a token instead, is read from standard input or a prompt. An endpoint without its
own credentials uses those that \`docker login\` has stored for the registry of its image.

Examples:
  $ drydock registry add work --server ghcr.io --username ada < token.txt
  $ drydock endpoint create mine --image ghcr.io/ada/worker:1 --registry-auth work`)
    .onSession(async ({ client, output }, name: string, options: { server: string; username: string }) => {
      const password = await readSecret(PASSWORD, surroundings)
      const { server, username } = options
      const response = await client.call('registryPut', { body: { name, server, username, password } })
      output.result(response, `credentials ${name} for ${server} stored`)
    })

  registry
    .command('list', { isDefault: true })
    .description('list stored credentials; passwords are never shown')
    .examples('drydock registry list')
    .onSession(async ({ client, output }) => {
      const response = await client.call('registryList')
      output.list(
        response,
        'No registry credentials are stored.',
        ['NAME', 'SERVER', 'USER', 'CHANGED'],
        response.registries.map(({ name, server, username, updatedAt }) => [
          name,
          server,
          username,
          ago(updatedAt, surroundings.now()),
        ]),
      )
    })

  registry
    .command('remove')
    .description('remove credentials; running workers continue')
    .argument('<name>', 'name of the credentials')
    .option(...YES)
    .examples('drydock registry remove work')
    .onSession(async ({ client, output }, name: string, { yes }: { yes?: true }) => {
      const find = async () => {
        const { registries } = await client.call('registryList')
        if (!registries.some((one) => one.name === name)) throw new AppError('REGISTRY_NOT_FOUND', { name })
      }
      const what = `the credentials ${name}`
      const { endpoints } = await client.call('endpointList')
      const users = endpoints.filter(({ container }) => container?.registryAuth === name).map(({ id }) => id)
      const breaks = users.length === 0 ? undefined : `image pulls of ${users.join(', ')}`
      await confirmDeletion({ yes, find, what, breaks, question: `Remove ${what}?` }, output, surroundings)
      const response = await client.call('registryRemove', { path: { name } })
      output.result(response, `credentials ${name} removed`)
      noteBroken(breaks, output)
    })
}
