import type { Command } from 'commander'
import type { ModelView } from '../../../contract/models.ts'
import { confirmDeletion } from '../../ask.ts'
import { usageError } from '../../cli-error.ts'
import { counted, size } from '../../format.ts'
import { openSession } from '../../session.ts'
import type { Surroundings } from '../../surroundings.ts'
import { addCredentials } from './credentials.ts'
import { addDownload } from './download.ts'
import { addFolders } from './folders.ts'

/** `drydock models`: the models of this machine, in the layout of ComfyUI. */
export function addModels(program: Command, surroundings: Surroundings): void {
  const models = program.command('models').description('list, download or remove the models of this machine')
  addList(models, surroundings)
  addDownload(models, surroundings)
  addRemove(models, surroundings)
  addFolders(models, surroundings)
  addCredentials(models, surroundings)
}

function addList(models: Command, surroundings: Surroundings): void {
  models
    .command('list', { isDefault: true })
    .description('list the models in all folders, with what their files tell')
    .option('--directory <name>', 'only those of a directory, like loras')
    .option('--uses', 'say by how many workflows, published graphs and runs each is used')
    .addHelpText(
      'after',
      '\nExamples:\n  $ drydock models list\n  $ drydock models list --directory loras --uses --json',
    )
    .action(async (options: { directory?: string; uses?: true }, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const answer = await client.call('modelList')
      const found = answer.models.filter(
        ({ directory }) => options.directory === undefined || directory === options.directory,
      )
      const uses = options.uses === true ? (await client.call('modelUses')).uses : undefined
      if (output.json) {
        const shown = uses === undefined ? found : found.map((model) => ({ ...model, uses: uses[model.name] ?? [] }))
        output.document({ ...answer, models: shown })
        return
      }
      if (found.length === 0) {
        output.line('There are no models. Get one with `drydock models download ADDRESS --directory checkpoints`.')
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
      if (answer.more) output.note('There are more than are listed: 10,000 of a folder are shown.')
    })
}

function kindText({ fault, kind, architecture, precision, format }: ModelView): string {
  if (fault !== undefined) return `damaged: ${fault}`
  const known = [kind, architecture, precision].filter((part) => part !== undefined)
  return known.length === 0 ? format : known.join(', ')
}

function addRemove(models: Command, surroundings: Surroundings): void {
  models
    .command('remove')
    .description('delete the file of a model; of a link the link alone')
    .argument('<model>', 'its directory and name, like loras/ink.safetensors')
    .option('--folder <path>', 'where several folders have it: which one')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExamples:\n  $ drydock models remove loras/ink.safetensors')
    .action(async (text: string, options: { folder?: string; yes?: true }, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const all = (await client.call('modelList')).models
      const found = all.filter(
        ({ directory, name, folder }) =>
          `${directory}/${name}` === text && (options.folder === undefined || folder === options.folder),
      )
      const [model, other] = found
      if (model === undefined) throw usageError(`There is no model ${text}. List them with \`drydock models list\`.`)
      if (other !== undefined)
        throw usageError(
          `Several folders have ${text}: name one with --folder (${found.map(({ folder }) => folder).join(', ')}).`,
        )
      const what = `the model ${text} with ${size(model.bytes)}`
      await confirmDeletion({ yes: options.yes === true, what, question: `Delete ${what}?` }, output, surroundings)
      const { folder, directory, name } = model
      const answer = await client.call('modelRemove', { body: { folder, directory, name } })
      if (output.json) output.document(answer)
      else output.line(`model ${text} deleted`)
    })
}
