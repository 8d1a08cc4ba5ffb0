import { join, resolve } from 'node:path'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError, usageError } from '../../../app/cli/cli-error.ts'
import { openSession } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { ModelFolder } from '../../../contract/models.ts'
import { foldersOf } from '../../models/rules/layout.ts'
import { isFolder } from '../adapters/run-git.ts'

type Known = { readonly bytes: number; readonly sha256?: string; readonly source?: string }

type KnownModels = { readonly models: readonly ModelFolder[]; readonly known: (path: string) => Known | undefined }

export async function readModelFolders(
  given: readonly string[],
  { command, surroundings }: { readonly command: CliCommand; readonly surroundings: Surroundings },
): Promise<KnownModels> {
  const { cwd } = surroundings
  const own = await Promise.all(given.map(async (path) => ({ path: await requireModelFolder(path, cwd) })))
  const service = await ofService(command, surroundings)
  return { models: [...own, ...service.models], known: service.known }
}

export async function requireModelFolder(given: string, cwd: string): Promise<string> {
  const path = resolve(cwd, given)
  if (await isFolder(path)) return path
  throw usageError(`--models ${given}: there is no such folder.`)
}

const AWAY: ReadonlySet<string> = new Set(['NOT_RUNNING', 'NOT_REACHABLE', 'KEY_MISSING'])

async function ofService(command: CliCommand, surroundings: Surroundings): Promise<KnownModels> {
  try {
    const { client } = await openSession(command, surroundings)
    const [{ folders }, { models }, { downloads }] = await Promise.all([
      client.call('modelFolderList'),
      client.call('modelList'),
      client.call('modelDownloadList'),
    ])
    const found = new Map<string, Known>()
    for (const { folder: path, directory, name, bytes, sha256 } of models) {
      const folder = folders.find((one) => one.path === path)
      const download = downloads.find(
        (one) => one.state === 'done' && one.folder === path && one.directory === directory && one.name === name,
      )
      const source = download?.url.includes('=…') === true ? undefined : download?.url
      for (const within of folder === undefined ? [] : foldersOf(folder, directory))
        found.set(join(path, within, name), {
          bytes,
          ...(sha256 === undefined ? {} : { sha256 }),
          ...(source === undefined ? {} : { source }),
        })
    }
    return { models: folders, known: (path) => found.get(path) }
  } catch (error) {
    if (error instanceof CliError && AWAY.has(error.code)) return { models: [], known: () => undefined }
    throw error
  }
}
