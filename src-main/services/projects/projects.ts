/** Projects: folders of this machine with an app, which are read, built, planned and previewed. */
import type { GitState } from '../../contract/app.ts'
import { AppError } from '../../contract/errors.ts'
import type { ProjectDetail, ProjectView } from '../../contract/projects.ts'
import { type Bell, createBell } from '../bell.ts'
import type { Project, ProjectFolders, ProjectPorts } from '../ports/projects.ts'
import type { Clock, Log, NewId, Storage } from '../ports.ts'
import { appOfFolder } from './app-of-folder.ts'
import { type Builds, createBuilds } from './builds.ts'
import { createPreviews, type Previews } from './previews.ts'
import { createSourceReader, type SourceReader } from './read-source.ts'
import type { Soon } from './soon.ts'

/** The projects of a service. */
export type Projects = {
  readonly folders: ProjectFolders
  readonly source: SourceReader
  /** The commit that its folder is at; undefined: it is in no repository. */
  readonly git: (project: Project) => Promise<GitState | undefined>
  readonly builds: Builds
  readonly previews: Previews
  /** Rings when a build or a preview has got on. */
  readonly bell: Bell
  readonly list: () => Promise<readonly ProjectView[]>
  /** @param from makes it first, see ProjectFolders.make @throws AppError as that does */
  readonly open: (path: string, from: string | undefined) => Promise<ProjectView>
  /** @throws AppError PROJECT_NOT_FOUND */
  readonly require: (id: string) => Project
  readonly read: (project: Project) => Promise<ProjectDetail>
  /** Its preview ends; the folder and what is deployed stay. */
  readonly forget: (project: Project) => Promise<void>
  /** Ends builds and previews; safe to call twice. */
  readonly stop: () => Promise<void>
}

type Deps = {
  readonly storage: Storage
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly ports: ProjectPorts
}

// A worker may write thousands of lines in a second; whoever follows gets all of them at once, ten times a second.
const TOLD_EVERY_MS = 100

/** Makes them. */
export function createProjects({ storage, clock, newId, log, ports }: Deps): Projects {
  const bell = createBell(clock)
  const onChange = ringFor(clock, bell)
  const source = createSourceReader({ source: ports.source, clock })
  const builds = createBuilds({ clock, log, storage, build: ports.build, onChange })
  const previews = createPreviews({ clock, log, ...ports, onChange })

  const view = async ({ id, folder, openedAt }: Project): Promise<ProjectView> => {
    const preview = previews.newest(id)?.view().state
    const build = builds.newest(id)?.view().state
    return {
      id,
      folder,
      app: appOfFolder(folder),
      isThere: await ports.folders.isThere(folder),
      openedAt,
      ...(preview === undefined ? {} : { preview }),
      ...(build === undefined ? {} : { build }),
    }
  }

  return {
    folders: ports.folders,
    source,
    git: ({ folder }) => ports.source.git(folder),
    builds,
    previews,
    bell,
    list: () => Promise.all(storage.projects.all().map(view)),
    async open(path, from) {
      if (from !== undefined) await ports.folders.make(path, from)
      const folder = await ports.folders.realFolder(path)
      const project = { id: newId.worker(), folder, openedAt: clock.now() }
      return view(await storage.write(() => storage.projects.open(project)))
    },
    require(id) {
      const project = storage.projects.get(id)
      if (project === undefined) throw new AppError('PROJECT_NOT_FOUND', { projectId: id })
      return project
    },
    async read(project) {
      const shown = await view(project)
      if (!shown.isThere) {
        const message = `The folder ${project.folder} is not there, or cannot be read. Bring it back, or forget the project.`
        return { ...shown, problems: [{ code: 'FOLDER_GONE', message }], warnings: [], calls: [], places: {} }
      }
      const { manifest, problems, warnings, calls, places } = await source.read(project)
      return {
        ...(await view(project)),
        ...(manifest === undefined ? {} : { manifest }),
        problems: [...problems],
        warnings: [...warnings],
        calls: [...calls],
        places: { ...places },
      }
    },
    async forget({ id }) {
      await storage.write(() => storage.projects.remove(id))
      await Promise.all([builds.forget(id), previews.forget(id)])
      source.forget(id)
    },
    stop: async () => void (await Promise.all([builds.stop(), previews.stopAll()])),
  }
}

function ringFor(clock: Clock, bell: Bell): (soon: Soon) => void {
  let isComing = false
  return (soon) => {
    if (soon === 'now') return bell.ring()
    if (isComing) return
    isComing = true
    clock.after(TOLD_EVERY_MS, () => {
      isComing = false
      bell.ring()
    })
  }
}
