import { TargetError } from '../../domain/models/target-error.ts'
import type { ScannedFolder, Storage } from '../ports/storage.ts'
/**
 * The models of this machine as the service has them: what lies in their folders, what is on its way, and who may use
 * it. Folders belong to the user, who puts files into them by hand as well, so they are looked through when somebody
 * asks; in between, what was found last counts.
 */

import type { ContainerSettings } from '../../contract/container.ts'
import type { EndpointConfig } from '../../contract/endpoint.ts'
import { AppError } from '../../contract/errors.ts'
import type { ServiceSettings } from '../../contract/management.ts'
import type { ModelFolder, ModelFolderView, ModelKey, ModelNews, ModelUse, ModelView } from '../../contract/models.ts'
import { modelFoldersUpdate } from '../../contract/models.ts'
import {
  folderProblem,
  modelNameProblem,
  modelPathsYaml,
  mountOf,
  PATHS_FILE,
  pathProblem,
} from '../../domain/models/layout.ts'
import { takesWorkflows } from '../../domain/workflow-runs/takes-workflows.ts'
import type { ReadsInThread } from '../ports/read-in-thread.ts'
import type { Notifier } from '../wait.ts'
import { createModelDownloads, type ModelDownloadDeps, type ModelDownloads } from './downloads.ts'
import { createHubModels, type HubModels } from './hub-models.ts'
import { createModelUses } from './model-uses.ts'

/** The models of this machine. */
export type Models = {
  /** Notifies when what `news` gives has changed. */
  readonly notifier: Notifier
  readonly news: () => ModelNews
  /** Looks through the folders. */
  readonly list: () => Promise<{ readonly models: ModelView[]; readonly more: boolean; readonly revision: number }>
  /** SHA-256 of an installed model in lower case hex, read once until the file changes; undefined: it has gone. */
  readonly checksum: (model: ModelView) => Promise<string | undefined>
  /** By the name that graphs use. */
  readonly uses: () => Promise<Record<string, ModelUse[]>>
  /** What was found last. Looks again, for the next time, where `isStale` says that something was missed. */
  readonly here: (isStale?: boolean) => readonly ModelKey[]
  /** @throws AppError MODEL_NOT_FOUND, BAD_FIELD, MODEL_UNWRITABLE */
  readonly remove: (model: Pick<ModelView, 'folder' | 'directory' | 'name'>) => Promise<void>
  /** Looks through the folders. @returns them with the file that tells a ComfyUI of this machine where they are */
  readonly folders: () => Promise<{ readonly folders: ModelFolderView[]; readonly configFile: string }>
  /** @throws AppError BAD_FIELD */
  readonly setFolders: (folders: readonly ModelFolder[]) => Promise<void>
  /** Container settings of an endpoint, with the folders where its workers take workflows. */
  readonly withFolders: (config: EndpointConfig) => ContainerSettings | undefined
  readonly downloads: ModelDownloads
  /** Those that endpoints name. */
  readonly hub: HubModels
  readonly start: () => Promise<void>
  /** Safe to call twice; waits. */
  readonly stop: () => Promise<void>
}

type Deps = Omit<ModelDownloadDeps, 'storage' | 'files' | 'folders' | 'onFinished' | 'settings'> &
  ReadsInThread & {
    readonly settings: () => ServiceSettings
    readonly storage: Storage
    /** The data folder, which has the folder of models where no other is set. */
    readonly dataFolder: () => string
  }

const STATE_NAME = 'modelFolders'
const OF_CONTAINERS = 'container_model_paths.yaml'
const OF_THIS_MACHINE = 'extra_model_paths.yaml'

/** Makes the models: folders, downloads and what uses them. */
export function createModels(deps: Deps): Models {
  const { storage, clock, log, readInThread, dataFolder } = deps
  const files = storage.modelFiles
  let set: readonly ModelFolder[] = modelFoldersUpdate.parse(storage.state.get(STATE_NAME) ?? { folders: [] }).folders
  let scanned: readonly ScannedFolder[] = []
  // Those that are there, each with its number among all of them, for the containers that start next.
  let present: readonly { readonly folder: ModelFolder; readonly index: number }[] = []
  let here: readonly ModelKey[] = []
  let written = new Map<string, { readonly text: string; readonly path: string }>()
  let revision = 0
  let seen = ''
  let scanning: Promise<void> | undefined
  // Files of gigabytes, by path, size and time of change.
  const checked = new Map<string, string>()
  const findUses = createModelUses({ storage, clock, readInThread })

  const defaultFolder = (): ModelFolder => ({ path: `${dataFolder()}/models` })
  const folders = (): readonly ModelFolder[] => (set.length === 0 ? [defaultFolder()] : set)

  // Models of the hub lie in the folder of this program, whatever others there are.
  const targets = () => [...folders(), defaultFolder()]
  const downloads = createModelDownloads({ ...deps, files, folders: targets, onFinished: () => rescan() })
  const hub = createHubModels({ ...deps, files, folder: defaultFolder, downloads })

  /** Looks through the folders; whoever asks meanwhile gets the look that has not begun yet. */
  function rescan(): Promise<void> {
    const before = scanning ?? Promise.resolve()
    const mine = before.then(scan)
    scanning = mine.catch((error) => log.warn('folders of models not read', { error }))
    return mine
  }

  async function scan(): Promise<void> {
    const wanted = folders()
    scanned = await files.scan(wanted)
    here = scanned.flatMap((one) => one.files.map(({ directory, name }) => ({ directory, name })))
    await findPresent(wanted)
    const now = JSON.stringify(
      scanned.map(({ folder, files, fault }) => [
        folder,
        fault,
        files.map(({ path, bytes, changedAt }) => [path, bytes, changedAt]),
      ]),
    )
    if (now === seen) return
    seen = now
    revision += 1
    downloads.notifier.notify()
  }

  async function findPresent(wanted: readonly ModelFolder[]): Promise<void> {
    const there = new Set(await files.present(wanted))
    present = wanted.map((folder, index) => ({ folder, index })).filter(({ folder }) => there.has(folder))
    const directoriesOf = (folder: ModelFolder) =>
      scanned
        .filter((one) => one.folder.path === folder.path)
        .flatMap((one) => one.files.map(({ directory }) => directory))
    const seenAt = (pathOf: (index: number) => string) =>
      present.map(({ folder, index }) => ({ folder, seenAt: pathOf(index), directories: directoriesOf(folder) }))
    await write(OF_CONTAINERS, modelPathsYaml(seenAt(mountOf), { withVolume: true }))
    const ownPaths = seenAt((index) => wanted[index]?.path ?? '')
    await write(OF_THIS_MACHINE, modelPathsYaml(ownPaths, { withVolume: false }))
  }

  async function write(name: string, text: string): Promise<void> {
    if (written.get(name)?.text === text) return
    const path = await files.writeConfig(name, text)
    written = new Map([...written, [name, { text, path }]])
  }

  const isDefault = (folder: ModelFolder) => set.length === 0 && folder.path === defaultFolder().path

  return {
    notifier: downloads.notifier,
    news: () => ({ revision, downloads: downloads.list() }),
    async list() {
      await rescan()
      const checksums = storage.modelDownloads.checksums()
      const models = scanned.flatMap(({ folder, files }) =>
        files.map(({ facts, path: _path, ...file }): ModelView => {
          const sha256 = checksums.get([folder.path, file.directory, file.name].join('\n'))
          return { folder: folder.path, ...file, ...facts, ...(sha256 === undefined ? {} : { sha256 }) }
        }),
      )
      return { models, more: scanned.some(({ more }) => more), revision }
    },
    async checksum({ folder, directory, name, bytes, changedAt, sha256 }) {
      if (sha256 !== undefined) return sha256 // of its download
      const file = scanned
        .find((one) => one.folder.path === folder)
        ?.files.find((one) => one.directory === directory && one.name === name)
      if (file === undefined) return undefined
      const key = JSON.stringify([file.path, bytes, changedAt])
      const known = checked.get(key) ?? (await files.sha256(file.path))
      if (known !== undefined) checked.set(key, known)
      return known
    },
    uses: findUses,
    here(isStale = false) {
      if (isStale) void rescan().catch(() => undefined)
      return here
    },
    async remove({ folder: path, directory, name }) {
      const folder = folders().find((one) => one.path === path)
      if (folder === undefined) throw new AppError('BAD_FIELD', { field: 'folder', why: 'is not a model folder' })
      const problem = pathProblem(directory) ?? modelNameProblem(name)
      if (problem !== undefined) throw new AppError('BAD_FIELD', { field: 'name', why: problem })
      const isThere = await files.remove({ folder, directory, name }).catch((error) => {
        throw error instanceof TargetError ? new AppError('MODEL_UNWRITABLE', { why: error.message }) : error
      })
      if (!isThere) throw new AppError('MODEL_NOT_FOUND', { directory, name })
      log.info('model removed', { directory, name })
      await rescan()
    },
    async folders() {
      await rescan()
      const views = scanned.map(
        ({ folder, files, freeBytes, fault }, index): ModelFolderView => ({
          ...folder,
          isDefault: isDefault(folder),
          files: files.length,
          bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
          ...(freeBytes === undefined ? {} : { freeBytes }),
          ...(fault === undefined ? {} : { fault }),
          mountedAt: mountOf(index),
        }),
      )
      return { folders: views, configFile: written.get(OF_THIS_MACHINE)?.path ?? '' }
    },
    async setFolders(next) {
      for (const folder of next) {
        const problem = folderProblem(folder)
        if (problem !== undefined) throw new AppError('BAD_FIELD', { field: 'folders', why: problem })
      }
      const paths = next.map(({ path }) => path)
      if (new Set(paths).size < paths.length)
        throw new AppError('BAD_FIELD', { field: 'folders', why: 'name a folder twice' })
      const missing = paths.filter((path) => path !== defaultFolder().path)
      const there = await files.present(missing.map((path) => ({ path })))
      const gone = missing.find((path) => !there.some((one) => one.path === path))
      if (gone !== undefined)
        throw new AppError('BAD_FIELD', {
          field: 'folders',
          why: `${gone} is not a folder on this machine. Create it first`,
        })
      await storage.write(() => storage.state.set(STATE_NAME, { folders: next }))
      set = next
      await rescan()
    },
    withFolders(config) {
      const { container, workflows } = config
      if (container === undefined || !takesWorkflows(config) || workflows?.modelFolders === false) return container
      // Below a folder of the user, a mount would need a folder in it.
      const isTaken = (pathOf: string) =>
        container.volumes.some(({ target }) => `${pathOf}/`.startsWith(`${target.replace(/\/+$/, '')}/`))
      const paths = written.get(OF_CONTAINERS)?.path
      const volumes = [
        ...present.map(({ folder, index }) => ({ source: folder.path, target: mountOf(index) })),
        ...(paths === undefined || present.length === 0 ? [] : [{ source: paths, target: PATHS_FILE }]),
      ].filter(({ target }) => !isTaken(target))
      return { ...container, volumes: [...container.volumes, ...volumes.map((one) => ({ ...one, readOnly: true }))] }
    },
    downloads,
    hub,
    async start() {
      // A folder that cannot be made, or read, stops nobody from starting: the page of models says why.
      await files.makeFolder(defaultFolder().path).catch((error) => log.warn('folder of models not made', { error }))
      await findPresent(folders()).catch((error) => log.warn('folders of models not read', { error }))
      await downloads.start()
      void rescan().catch(() => undefined)
    },
    async stop() {
      await downloads.stop()
      await scanning
      await files.close()
    },
  }
}
