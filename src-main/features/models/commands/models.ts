import { confirmDeletion, noteBroken, readSecret, YES } from '../../../app/cli/ask.ts'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError, usageError } from '../../../app/cli/cli-error.ts'
import { size } from '../../../app/cli/output.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { AppError } from '../../../contract/errors.ts'
import type { ModelUse, ModelView } from '../../../contract/models.ts'
import { ago, counted } from '../../../lib/text.ts'
import { named } from '../../endpoints/rules/dependents.ts'
import { addDownload } from './download.ts'
import { addFolders, GET_MODELS } from './folders.ts'

export function addModels(models: CliCommand, surroundings: Surroundings): void {
  models
    .command('list', { isDefault: true })
    .description('list the models in all folders, with details from their files')
    .option('--directory <name>', 'only models of this directory, like loras')
    .option('--uses', 'show how many workflows, published graphs and runs use each model')
    .examples('drydock models list', 'drydock models list --directory loras --uses --json')
    .onSession(async ({ client, output }, options: { directory?: string; uses?: true }) => {
      const response = await client.call('modelList')
      const found = response.models.filter(
        ({ directory }) => options.directory === undefined || directory === options.directory,
      )
      const uses = options.uses === true ? (await client.call('modelUses')).uses : undefined
      if (output.json) {
        const shown = uses === undefined ? found : found.map((model) => ({ ...model, uses: uses[model.name] ?? [] }))
        output.document({ ...response, models: shown })
        return
      }
      if (found.length === 0) {
        const directories = [...new Set(response.models.map(({ directory }) => directory))]
        if (directories.length === 0) output.hint(`There are no models yet. ${GET_MODELS}`)
        else
          output.line(
            `There are no models in ${options.directory}. Directories with models: ${directories.join(', ')}.`,
          )
        return
      }
      output.table(
        ['DIRECTORY', 'NAME', 'SIZE', ...(uses === undefined ? [] : ['USED BY']), 'KIND'],
        found.map((model) => [
          model.directory,
          model.name,
          size(model.bytes),
          ...(uses === undefined ? [] : [counted(uses[model.name]?.length ?? 0, 'use')]),
          kindText(model),
        ]),
      )
      if (response.more) output.note('Only the first 10,000 models of a folder are listed.')
    })

  addDownload(models, surroundings)

  models
    .command('remove')
    .description('delete a model file; if it is a symbolic link, delete only the link')
    .argument('<model>', 'its directory and name, like loras/ink.safetensors')
    .option('--folder <path>', 'which folder, if several have it')
    .option(...YES)
    .examples('drydock models remove loras/ink.safetensors')
    .onSession(async ({ client, output }, text: string, options: { folder?: string; yes?: true }) => {
      const all = (await client.call('modelList')).models
      const found = all.filter(
        ({ directory, name, folder }) =>
          `${directory}/${name}` === text && (options.folder === undefined || folder === options.folder),
      )
      const [model, other] = found
      if (model === undefined) throw new CliError('NO_MODEL', { model: text })
      if (other !== undefined)
        throw usageError(
          `Several folders have ${text}: name one with --folder (${found.map(({ folder }) => folder).join(', ')}).`,
        )
      const what = `the model ${text} with ${size(model.bytes)}`
      const { folder, directory, name } = model
      const breaks = usesText((await client.call('modelUses')).uses[name] ?? [])
      await confirmDeletion({ yes: options.yes, what, breaks, question: `Delete ${what}?` }, output, surroundings)
      const response = await client.call('modelRemove', { body: { folder, directory, name } })
      output.result(response, `model ${text} deleted`)
      noteBroken(breaks, output)
    })

  addFolders(models, surroundings)

  const credentials = models.command('credentials').description('store, list or remove credentials for model hosts')

  credentials
    .command('list', { isDefault: true })
    .description('list the hosts; tokens and passwords are never shown')
    .examples('drydock models credentials')
    .onSession(async ({ client, output }) => {
      const response = await client.call('modelCredentialsList')
      output.list(
        response,
        'No credentials are stored.',
        ['HOST', 'USER', 'CHANGED'],
        response.credentials.map(({ host, username, updatedAt }) => [
          host,
          username ?? 'token',
          ago(updatedAt, surroundings.now()),
        ]),
      )
    })

  credentials
    .command('add')
    .description('store credentials for a host, encrypted; they replace earlier ones')
    .argument('<host>', 'host, like huggingface.co')
    .option('--username <user>', 'user name, if the host needs a password instead of a token')
    .details(`
The token or password is read from standard input or a prompt. It is sent to this host only.

Examples:
  $ drydock models credentials add huggingface.co < token.txt`)
    .onSession(async ({ client, output }, host: string, { username }: { username?: string }) => {
      const secret = await readSecret(username === undefined ? TOKEN : PASSWORD, surroundings)
      const body = username === undefined ? { host, token: secret } : { host, username, password: secret }
      const response = await client.call('modelCredentialsPut', { body })
      output.result(response, `credentials for ${host} stored`)
    })

  credentials
    .command('remove')
    .description('remove the credentials for a host')
    .argument('<host>', 'host, like huggingface.co')
    .option(...YES)
    .examples('drydock models credentials remove huggingface.co')
    .onSession(async ({ client, output }, host: string, { yes }: { yes?: true }) => {
      const find = async () => {
        const { credentials: stored } = await client.call('modelCredentialsList')
        if (!stored.some((one) => one.host === host.toLowerCase()))
          throw new AppError('CREDENTIALS_NOT_FOUND', { host })
      }
      const what = `the credentials for ${host}`
      await confirmDeletion({ yes, find, what, question: `Remove ${what}?` }, output, surroundings)
      const response = await client.call('modelCredentialsRemove', { path: { host } })
      output.result(response, `credentials for ${host} removed`)
    })
}

function kindText({ fault, kind, architecture, precision, format }: ModelView): string {
  if (fault !== undefined) return `damaged: ${fault}`
  const known = [kind, architecture, precision].filter((part) => part !== undefined)
  return known.length === 0 ? format : known.join(', ')
}

const TOKEN = { name: 'token', question: 'Token:', nothing: 'No credentials were stored.' }
const PASSWORD = { name: 'password', question: 'Password:', nothing: 'No credentials were stored.' }

function usesText(uses: readonly ModelUse[]): string | undefined {
  const titles = (wanted: ModelUse['kind']) => uses.filter(({ kind }) => kind === wanted).map(({ title }) => title)
  const runs = titles('run').length
  const texts = [
    ...named('workflow', titles('workflow')),
    ...named('published graph', titles('graph')),
    ...(runs === 0 ? [] : [`running ${counted(runs, 'run')} again`]),
  ]
  return texts.length === 0 ? undefined : texts.join(', ')
}
