import { resolve } from 'node:path'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { usageError } from '../../../app/cli/cli-error.ts'
import { type Output, size } from '../../../app/cli/output.ts'
import { openSession } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ModelFolder, ModelFolderView } from '../../../contract/models.ts'
import { counted } from '../../../lib/text.ts'

/** How models get onto this machine, for lists without any. */
export const GET_MODELS =
  'Get one with `drydock models download ADDRESS --directory checkpoints`, or add a folder that has some with `drydock models folders add ~/ComfyUI/models --first`.'

export function addFolders(models: CliCommand, surroundings: Surroundings): void {
  const folders = models.command('folders').description('list, add or remove model folders')

  folders
    .command('list', { isDefault: true })
    .description('list the folders; downloads go into the first one')
    .examples('drydock models folders', 'drydock models folders --json')
    .onSession(async ({ client, output }) => {
      show(output, await client.call('modelFolderList'))
    })

  folders
    .command('add')
    .description('add a folder laid out like the models folder of ComfyUI, or the folders of an extra_model_paths.yaml')
    .argument('[folder]', 'folder of this machine, like ~/ComfyUI/models')
    .option(
      '--map <directory=path>',
      'use only this directory, at this path within the folder, as in extra_model_paths.yaml; may be repeated',
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option('--from-file <file>', 'add all folders of this extra_model_paths.yaml instead')
    .renamedOption('--from', '--from-file')
    .option('--first', 'put it first, so that downloads go into it')
    .details(`
Containers of endpoints that take workflows get the folders, read-only, from their next start on.

Examples:
  $ drydock models folders add ~/ComfyUI/models --first
  $ drydock models folders add ~/webui --map checkpoints=models/Stable-diffusion --map loras=models/Lora
  $ drydock models folders add --from-file ~/ComfyUI/extra_model_paths.yaml`)
    .action(async (folder: string | undefined, options: AddOptions, command: CliCommand) => {
      const added = await readAdded(folder, options, surroundings)
      const { client, output } = await openSession(command, surroundings)
      const before = (await client.call('modelFolderList')).folders
        .map(settingOf)
        .filter(({ path }) => !added.some((one) => one.path === path))
      const next = options.first === true ? [...added, ...before] : [...before, ...added]
      show(output, await client.call('modelFoldersSet', { body: { folders: next } }))
    })

  folders
    .command('remove')
    .description('take a folder from the list; its files stay')
    .argument('<folder>', 'one of the folders')
    .examples('drydock models folders remove ~/ComfyUI/models')
    .onSession(async ({ client, output }, text: string) => {
      const path = resolve(surroundings.cwd, text)
      const before = (await client.call('modelFolderList')).folders
      if (!before.some((folder) => folder.path === path))
        throw usageError(`${path} is not a model folder. List them with \`drydock models folders\`.`)
      const next = before.filter((folder) => folder.path !== path).map(settingOf)
      show(output, await client.call('modelFoldersSet', { body: { folders: next } }))
    })
}

type AddOptions = { readonly map?: readonly string[]; readonly fromFile?: string; readonly first?: true }

async function readAdded(
  folder: string | undefined,
  { map, fromFile }: AddOptions,
  surroundings: Surroundings,
): Promise<readonly ModelFolder[]> {
  if ((folder === undefined) === (fromFile === undefined))
    throw usageError('Give a folder, or a file with --from-file, as in `drydock models folders add ~/ComfyUI/models`.')
  const directories = readMap(map)
  if (folder !== undefined)
    return [{ path: resolve(surroundings.cwd, folder), ...(directories === undefined ? {} : { directories }) }]
  if (directories !== undefined) throw usageError('--map needs a folder. With --from-file, the file has the mapping.')
  const { readModelPaths } = await import('./read-model-paths.ts')
  return readModelPaths(fromFile ?? '', surroundings)
}

function settingOf({ path, directories }: ModelFolderView): ModelFolder {
  return { path, ...(directories === undefined ? {} : { directories }) }
}

function readMap(entries: readonly string[] | undefined): ModelFolder['directories'] {
  if (entries === undefined) return undefined
  const directories: Record<string, string[]> = {}
  for (const entry of entries) {
    const [, directory, path] = /^([^=]+)=(.+)$/.exec(entry) ?? []
    if (directory === undefined || path === undefined)
      throw usageError(`--map takes DIRECTORY=PATH, like loras=models/Lora, not ${entry}.`)
    directories[directory] = [...(directories[directory] ?? []), path]
  }
  return directories
}

type ModelFolders = { readonly folders: readonly ModelFolderView[]; readonly configFile: string }

function show(output: Output, response: ModelFolders) {
  if (output.json) return output.document(response)
  output.table(
    ['FOLDER', 'MODELS', 'SIZE', 'FREE', 'IN CONTAINERS', 'NOTE'],
    response.folders.map(({ path, files, bytes, freeBytes, mountedAt, fault, isDefault }, index) => [
      path,
      counted(files, 'model'),
      size(bytes),
      freeBytes === undefined ? '' : size(freeBytes),
      mountedAt,
      fault ?? [index === 0 ? 'downloads go here' : '', isDefault ? 'default' : ''].filter(Boolean).join(', '),
    ]),
  )
  if (response.folders.every(({ files, fault }) => files === 0 && fault === undefined))
    output.hint(`There are no models in these folders yet. ${GET_MODELS}`)
  output.note(
    `To use them in a ComfyUI on this machine, start it with --extra-model-paths-config ${response.configFile}`,
  )
}
