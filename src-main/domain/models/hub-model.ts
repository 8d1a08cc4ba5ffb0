/**
 * A model of the hub on this machine: where its files lie, and how workers find them. Pure. The folder is laid out as the
 * cache of the hub's own package, so that programs which know that cache find them too. Source: docs/spec/platform.md, 4,
 * and the public package runpod 2.0, its model.py.
 */
import type { ContainerSettings } from '../../contract/container.ts'
import { type HubListing, hubAnswer } from '../../contract/models.ts'
import { pathProblem } from './layout.ts'

/** A model as it is asked for, in its parts. */
export type HubModel = { readonly repository: string; readonly revision: string | undefined }

/** Where a model lies on this machine. Folders are absolute. */
export type StagedModel = {
  /** The commit whose files these are. */
  readonly revision: string
  /** The folder of the model with all its revisions: `models--OWNER--NAME`. */
  readonly folder: string
  /** The folder with the files of this revision. */
  readonly files: string
}

/** The directory of such models within a folder of models. */
export const HUB_DIRECTORY = 'huggingface'

/** The revision where none is asked for. */
export const USUAL_REVISION = 'main'

const COMMIT = /^[0-9a-f]{40}$/

/** Whether a revision always means the same files. */
export const isCommit = (revision: string): boolean => COMMIT.test(revision)

/** A model in its parts. @param text like owner/name:revision */
export function readHubModel(text: string): HubModel {
  const [repository = '', ...revision] = text.split(':')
  return { repository, revision: revision.length === 0 ? undefined : revision.join(':') }
}

/** Path of a model's folder within its directory, with /. */
export const hubFolder = ({ repository }: HubModel): string => `hub/models--${repository.replace('/', '--')}`

/**
 * What a hub answers of a revision, without hidden files and empty ones: no program reads these.
 * @returns a sentence's end where that is no listing
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

/** Address of what a hub has of a revision. @param hub without / at its end */
export function listingAddress(hub: string, { repository, revision = USUAL_REVISION }: HubModel): string {
  return `${hub}/api/models/${repository}/revision/${encodeURIComponent(revision)}?blobs=true`
}

/** Address of one of its files. */
export function fileAddress(hub: string, { repository }: HubModel, revision: string, path: string): string {
  return `${hub}/${repository}/resolve/${revision}/${path.split('/').map(encodeURIComponent).join('/')}`
}

// Where workers in containers find models. Source: the public package runpod 2.0, its model.py.
const STORE = '/runpod/model-store/huggingface'
const CACHE = '/runpod-volume/huggingface-cache/hub'

/**
 * The settings of a container that has a model: at the path of the package, and in the cache of the hub's own package
 * unless a folder of the user is around that.
 */
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

/** Variable by which the runtime of SDK 2.0 finds the files where a worker is a process. Source: ours. */
const FILES_VARIABLE = 'SVC_MODEL_FOLDER'
// By which programs find the cache of the hub's package; who sets one of these has a cache of his own.
const CACHE_VARIABLES = ['HF_HUB_CACHE', 'HUGGINGFACE_HUB_CACHE', 'HF_HOME']

/**
 * The variables of a worker that has a model.
 * @param env those that its endpoint sets
 */
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
