import type { InThread } from '../../lib/in-thread.ts'
import type { ScannedFolder, Storage } from '../../storage/storage.ts'
import type { ModelReaders } from './ports.ts'
import { TargetError } from './rules/target-error.ts'
/** Users change the folders too, so they are scanned on demand; the last result counts in between. */

import type { ContainerSettings } from '../../contract/container.ts'
import type { EndpointConfig } from '../../contract/endpoint.ts'
import { AppError } from '../../contract/errors.ts'
import type { ServiceSettings } from '../../contract/management.ts'
import {
  type ModelFolder,
  type ModelFolderView,
  type ModelKey,
  type ModelNews,
  type ModelView,
  modelFoldersUpdate,
} from '../../contract/models.ts'
import type { ReadsGraphs } from '../workflows/ports/readers.ts'
import { takesWorkflows } from '../workflows/rules/runs/takes-workflows.ts'
import { createModelDownloads, type ModelDownloadDeps } from './downloads.ts'
import { createHubModels } from './hub-models.ts'
import { createModelUses } from './model-uses.ts'
import { createReadHead } from './read-head.ts'
import { folderProblem, modelNameProblem, modelPathsYaml, mountOf, PATHS_FILE, pathProblem } from './rules/layout.ts'

export type Models = ReturnType<typeof createModels>

const STATE_NAME = 'modelFolders'
const OF_CONTAINERS = 'container_model_paths.yaml'
const OF_THIS_MACHINE = 'extra_model_paths.yaml'

export function createModels(
  deps: Omit<ModelDownloadDeps, 'storage' | 'files' | 'readHead' | 'folders' | 'onFinished' | 'settings'> &
    ReadsGraphs & {
      readonly readInThread: InThread<ModelReaders>
      readonly settings: () => ServiceSettings
      readonly storage: Storage
      readonly dataFolder: () => string
    },
) {
  const { storage, clock, log, readInThread, dataFolder } = deps
  const files = storage.modelFiles
  let set: readonly ModelFolder[] = modelFoldersUpdate.parse(storage.state.get(STATE_NAME) ?? { folders: [] }).folders
  let scanned: readonly ScannedFolder[] = []
  let present: readonly { readonly folder: ModelFolder; readonly index: number }[] = []
  let here: readonly ModelKey[] = []
  let written = new Map<string, { readonly text: string; readonly path: string }>()
  let revision = 0
  let seen = ''
  let scanning: Promise<void> | undefined
  // By path, size and time of change, as files have gigabytes.
  const checked = new Map<string, string>()
  const findUses = createModelUses({ storage, clock, readInThread })
  const readHead = createReadHead({ readInThread })

  const defaultFolder = (): ModelFolder => ({ path: `${dataFolder()}/models` })
  const folders = (): readonly ModelFolder[] => (set.length === 0 ? [defaultFolder()] : set)

  const targets = () => [...folders(), defaultFolder()]
  const downloads = createModelDownloads({ ...deps, files, readHead, folders: targets, onFinished: () => rescan() })
  const hub = createHubModels({ ...deps, files, folder: defaultFolder, downloads })

  function rescan(): Promise<void> {
    const before = scanning ?? Promise.resolve()
    const mine = before.then(scan)
    scanning = mine.catch((error) => log.warn('folders of models not read', { error }))
    return mine
  }

  async function scan(): Promise<void> {
    const wanted = folders()
    scanned = await files.scan(wanted, readHead)
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
    news: (): ModelNews => ({ revision, downloads: downloads.list() }),
    async list(): Promise<{ readonly models: ModelView[]; readonly more: boolean; readonly revision: number }> {
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
    /** SHA-256 in lower-case hex, cached until the file changes; undefined: the file is gone. */
    async checksum({ folder, directory, name, bytes, changedAt, sha256 }: ModelView): Promise<string | undefined> {
      if (sha256 !== undefined) return sha256
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
    /** The last result; `isStale` triggers a scan for the next call. */
    here(isStale: boolean = false): readonly ModelKey[] {
      if (isStale) void rescan().catch(() => undefined)
      return here
    },
    async remove({ folder: path, directory, name }: Pick<ModelView, 'folder' | 'directory' | 'name'>) {
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
    async folders(): Promise<{ readonly folders: ModelFolderView[]; readonly configFile: string }> {
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
    async setFolders(next: readonly ModelFolder[]) {
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
    withFolders(config: EndpointConfig): ContainerSettings | undefined {
      const { container, workflows } = config
      if (container === undefined || !takesWorkflows(config) || workflows?.modelFolders === false) return container
      // A mount below a user's folder would create a folder in it.
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
      // An unusable folder must not prevent a start: the page of models shows why.
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
