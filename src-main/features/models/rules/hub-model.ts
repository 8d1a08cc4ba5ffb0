/**
 * Local copies of hub models, in the layout of the hub package's cache. Source: docs/spec/platform.md, 4, and the
 * public package runpod 2.0, its model.py.
 */
import type { ContainerSettings } from '../../../contract/container.ts'
import { type HubListing, hubAnswer } from '../../../contract/models.ts'
import { pathProblem } from './layout.ts'

export type HubModel = { readonly repository: string; readonly revision: string | undefined }

export type StagedModel = {
  readonly revision: string
  readonly folder: string
  readonly files: string
}

export const HUB_DIRECTORY = 'huggingface'

export const USUAL_REVISION = 'main'

const COMMIT = /^[0-9a-f]{40}$/

export const isCommit = (revision: string): boolean => COMMIT.test(revision)

export function readHubModel(text: string): HubModel {
  const [repository = '', ...revision] = text.split(':')
  return { repository, revision: revision.length === 0 ? undefined : revision.join(':') }
}

export const hubFolder = ({ repository }: HubModel): string => `hub/models--${repository.replace('/', '--')}`

/**
 * Omits hidden and empty files, which no program reads.
 * @returns the end of a sentence if it is no listing
 */
export function readListing(value: unknown): HubListing | string {
  const { data } = hubAnswer.safeParse(value)
  if (data === undefined) return 'answered with something else than the files of a model'
  const files = data.siblings
    .filter(({ rfilename, size }) => size !== 0 && !rfilename.split('/').some((part) => part.startsWith('.')))
    .map(({ rfilename: path, size, lfs }) => ({
      path,
      ...(size == null ? {} : { bytes: size }),
      ...(lfs?.sha256 === undefined ? {} : { sha256: lfs.sha256 }),
    }))
  if (files.length === 0) return 'has no files of it'
  const wrong = files.find(({ path }) => pathProblem(path) !== undefined)
  if (wrong !== undefined) return `names the file ${JSON.stringify(wrong.path)}, which ${pathProblem(wrong.path)}`
  return { revision: data.sha, files }
}

export function listingAddress(hub: string, { repository, revision = USUAL_REVISION }: HubModel): string {
  return `${hub}/api/models/${repository}/revision/${encodeURIComponent(revision)}?blobs=true`
}

export function fileAddress(hub: string, { repository }: HubModel, revision: string, path: string): string {
  return `${hub}/${repository}/resolve/${revision}/${path.split('/').map(encodeURIComponent).join('/')}`
}

// Model path in worker containers. Source: the public package runpod 2.0, its model.py.
const STORE = '/runpod/model-store/huggingface'
const CACHE = '/runpod-volume/huggingface-cache/hub'

/** Container settings for a model: at the package's path and in the hub cache, unless a user folder contains it. */
export function withModel(
  container: ContainerSettings,
  asked: string,
  { revision, folder, files }: StagedModel,
): ContainerSettings {
  const model = readHubModel(asked)
  const inCache = `${CACHE}/${hubFolder(model).slice('hub/'.length)}`
  const wanted = [
    { source: files, target: `${STORE}/${model.repository}/${revision}`, readOnly: true },
    ...(hasCache(container) ? [{ source: folder, target: inCache, readOnly: true }] : []),
  ]
  return { ...container, volumes: [...container.volumes, ...wanted] }
}

const hasCache = ({ volumes }: ContainerSettings) =>
  !volumes.some(({ target }) => `${CACHE}/`.startsWith(`${target.replace(/\/+$/, '')}/`))

/** Where the SDK 2.0 runtime finds the files in processes. Source: ours. */
const FILES_VARIABLE = 'SVC_MODEL_FOLDER'
// Variables that move the hub cache: if one is set, the user has an own cache.
const CACHE_VARIABLES = ['HF_HUB_CACHE', 'HUGGINGFACE_HUB_CACHE', 'HF_HOME']

export function modelVariables(
  { revision, folder, files }: StagedModel,
  {
    container,
    env,
  }: { readonly container: ContainerSettings | undefined; readonly env: Readonly<Record<string, string>> },
): Readonly<Record<string, string>> {
  const cache = container === undefined ? folder.slice(0, folder.lastIndexOf('/')) : CACHE
  const isOwn = CACHE_VARIABLES.some((name) => env[name] !== undefined)
  const isThere = container === undefined || hasCache(container)
  return {
    MODEL_REVISION: revision,
    ...(container === undefined ? { [FILES_VARIABLE]: files } : {}),
    ...(isOwn || !isThere ? {} : { HF_HUB_CACHE: cache }),
  }
}
