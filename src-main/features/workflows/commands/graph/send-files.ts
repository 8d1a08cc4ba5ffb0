/** Graphs may come from strangers, so only media in the given folders, or files named by the caller, are sent. */
import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, resolve, sep } from 'node:path'
import { CliError } from '../../../../app/cli/cli-error.ts'
import type { ServiceClient } from '../../../../app/client/service-client.ts'
import { limit } from '../../../../contract/limits.ts'
import { errorCode } from '../../../../lib/error-code.ts'
import type { JsonObject } from '../../../../lib/json/value.ts'
import { isShown, mediaTypeOf } from '../../../../lib/media.ts'
import { sizeText } from '../../../../lib/text.ts'
import { fileTools } from '../../../../shipped-files/resources.ts'
import type { NodeTypes } from '../../rules/node-types.ts'
import { imagesOf } from '../../rules/runs/payload-files.ts'
import type { Setting } from './set-values.ts'

export type FileSources = {
  readonly types: NodeTypes
  readonly folders: readonly string[]
  readonly named?: readonly Setting[]
}

/**
 * Uploads referenced files; others may already be there.
 * @returns new names for files whose name was taken
 * @throws CliError FILE_UNREADABLE if an existing file cannot be sent
 */
export async function sendFiles(
  client: ServiceClient,
  payload: JsonObject,
  { types, folders, named = [] }: FileSources,
): Promise<readonly Setting[]> {
  const settings: Setting[] = []
  for (const { node, input, name } of imagesOf(payload, types)) {
    const isNamed = named.some((setting) => setting.text === name)
    const bytes = await firstOf(folders, name, isNamed)
    if (bytes === undefined) continue
    const path = { asset: await fileTools.sha256(bytes) }
    const asset = await client.call('assetWrite', { path, query: { name: basename(name) }, bytes })
    if (asset.name !== undefined && asset.name !== name) settings.push({ node, input, text: asset.name })
  }
  return settings
}

async function firstOf(folders: readonly string[], name: string, isNamed: boolean): Promise<Uint8Array | undefined> {
  for (const folder of folders) {
    const path = resolve(folder, name)
    try {
      const [real, within] = await Promise.all([realpath(path), realpath(folder)])
      if (!isNamed && !real.startsWith(within.endsWith(sep) ? within : within + sep))
        throw refusal(path, 'the graph names a file outside of its folder. Name it yourself, with --set')
      return await readMedia(real, isNamed)
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  return undefined
}

async function readMedia(path: string, isNamed: boolean): Promise<Uint8Array | undefined> {
  const found = await stat(path) // before it is opened: opening a pipe waits for a writer
  if (found.isDirectory()) return undefined
  if (!found.isFile()) throw refusal(path, 'it is not a file')
  if (found.size > limit('assetBytes'))
    throw refusal(path, `it has ${sizeText(found.size)}, and the limit is ${sizeText(limit('assetBytes'))}`)
  const bytes = await readFile(path)
  if (!isNamed && !isShown(mediaTypeOf(bytes)))
    throw refusal(path, 'the graph loads it, but it is not a picture, video or sound. Name it yourself, with --set')
  return bytes
}

const refusal = (file: string, why: string) => new CliError('FILE_UNREADABLE', { file, why })

function isMissing(error: unknown): boolean {
  return /^(ENOENT|ENOTDIR|EISDIR|ENAMETOOLONG)$/.test(errorCode(error))
}
