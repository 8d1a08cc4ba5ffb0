import { AppError } from '../../contract/errors.ts'
import type { ModelDownloadCreate, ModelFolder } from '../../contract/models.ts'
import {
  foldersOf,
  graphName,
  modelNameFault,
  pathFault,
  placeOfAddress,
  presentDirectory,
} from '../../domain/models/layout.ts'
import type { ModelTarget } from '../ports/models.ts'

/** A download that may be asked for. `url` is that of the file itself. */
export type DownloadRequest = {
  readonly url: string
  readonly target: ModelTarget
  readonly expected: string | undefined
}

const bad = (field: string, why: string) => new AppError('BAD_FIELD', { field, why })

/**
 * Reads what is to be downloaded, and where it is to lie.
 * @param folders of models, the one for downloads first
 * @throws AppError BAD_FIELD with what is missing, or what would lead out of the folder
 */
export function readRequest(asked: ModelDownloadCreate, folders: readonly ModelFolder[]): DownloadRequest {
  const url = readAddress(asked.url)
  const told = placeOfAddress(url)
  const name = graphName(asked.name ?? told.name ?? '')
  if (name === '') throw bad('name', 'the address names no model file. Say how the file is to be called')
  const nameFault = modelNameFault(name)
  if (nameFault !== undefined) throw bad('name', nameFault)
  const directory = presentDirectory(asked.directory ?? told.directory ?? '')
  if (directory === '') throw bad('directory', 'the address names no kind of model. Say one, like checkpoints or loras')
  const directoryFault = pathFault(directory)
  if (directoryFault !== undefined) throw bad('directory', directoryFault)
  const folder = asked.folder === undefined ? folders[0] : folders.find(({ path }) => path === asked.folder)
  if (folder === undefined) throw bad('folder', `${asked.folder} is none of the folders of models`)
  if (foldersOf(folder, directory).length === 0)
    throw bad('directory', `${folder.path} has no place for ${directory} in its settings`)
  return { url, target: { folder, directory, name }, expected: asked.sha256 }
}

function readAddress(text: string): string {
  if (!URL.canParse(text)) throw bad('url', 'must be an address like https://example.com/model.safetensors')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw bad('url', 'must begin with http:// or https://')
  if (url.username !== '' || url.password !== '') {
    const why = `must hold no user and password. Store them with \`drydock models credentials add ${url.host}\``
    throw bad('url', why)
  }
  url.hash = ''
  // The page of a file, as it is copied from a browser; the file is beside it.
  if (url.hostname === 'huggingface.co') url.pathname = url.pathname.replace(/^(\/[^/]+\/[^/]+)\/blob\//, '$1/resolve/')
  return url.href
}
