/**
 * Files that a graph loads. A graph may be a stranger's, within a picture that was sent around: what it names is sent
 * only where it is a picture, a film or a sound in one of the folders, or where the caller named it.
 */
import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, resolve, sep } from 'node:path'
import { fileTools } from '../../app-builder/machine-tools.ts'
import type { ServiceClient } from '../../client/service-client.ts'
import { limit } from '../../contract/limits.ts'
import { errorCode } from '../../domain/error-code.ts'
import { isShown, mediaTypeOf } from '../../domain/media.ts'
import { sizeText } from '../../domain/text.ts'
import type { JsonObject } from '../../domain/workflow/json/value.ts'
import type { NodeTypes } from '../../domain/workflow/node-types.ts'
import { imagesOf } from '../../domain/workflow-runs/payload-files.ts'
import { CliError } from '../cli-error.ts'
import type { Setting } from './set-values.ts'

/** Where files may be. `named`: values that the caller has set, which may be anywhere. */
export type FileSources = {
  readonly types: NodeTypes
  readonly folders: readonly string[]
  readonly named?: readonly Setting[]
}

/**
 * Sends the files that a graph loads to the service, where they lie in one of the folders. Others may lie there
 * already.
 * @returns what has to be set, as the service gives a file another name where one of its name is another file
 * @throws CliError FILE_UNREADABLE for one that is there and is not sent
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
  const found = await stat(path) // before it is opened: a pipe would not open until somebody writes to it
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
