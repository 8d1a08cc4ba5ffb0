import { appName, type GitState } from '../../contract/app.ts'
import { BuildFailure, type BuildProblem } from '../../contract/build.ts'
import { AppError } from '../../contract/errors.ts'
import type { Manifest } from '../../contract/manifest.ts'
import type { ProjectDetail, ProjectView } from '../../contract/projects.ts'
import type { ScanDocument } from '../../contract/scan.ts'
import type { Clock, Log, NewId } from '../../lib/clock.ts'
import { present } from '../../lib/json/plain.ts'
import { createNotifier, notifySoon } from '../../lib/wait.ts'
import type { Project, Storage } from '../../storage/storage.ts'
import { choosePythonVersion, collectRequirements } from '../apps/rules/collect-requirements.ts'
import { type EndpointCall, findCalls } from '../apps/rules/find-calls.ts'
import { makeAnyManifest, warningsOfAppName } from '../platform-api/rules/app-manifest.ts'
import { appOfFolder, createBuilds, problemsOf, type Soon } from './builds.ts'
import type { ProjectPorts, ProjectSource } from './ports.ts'
import { createPreviews } from './previews.ts'

export type Projects = ReturnType<typeof createProjects>

export function createProjects(deps: {
  readonly storage: Storage
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Log
  readonly ports: ProjectPorts
}) {
  const { storage, clock, newId, log, ports } = deps
  const notifier = createNotifier(clock)
  const notify = notifySoon(clock, notifier)
  const onChange = (soon: Soon) => notify(soon === 'now')
  const source = createSourceReader({ source: ports.source, clock })
  const builds = createBuilds({ clock, log, storage, build: ports.build, onChange })
  const previews = createPreviews({ clock, log, ...ports, onChange })

  const view = async ({ id, folder, openedAt }: Project): Promise<ProjectView> => {
    const preview = previews.newest(id)?.view().state
    const build = builds.newest(id)?.view().shown.state
    return {
      id,
      folder,
      app: appOfFolder(folder),
      isThere: await ports.folders.isThere(folder),
      openedAt,
      ...present({ preview, build }),
    }
  }

  return {
    folders: ports.folders,
    source,
    text: ports.source.text,
    git: ({ folder }: Project): Promise<GitState | undefined> => ports.source.git(folder),
    builds,
    previews,
    notifier,
    list: (): Promise<readonly ProjectView[]> => Promise.all(storage.projects.all().map(view)),
    async open(path: string, from: string | undefined): Promise<ProjectView> {
      if (from !== undefined) await ports.folders.make(path, from)
      const folder = await ports.folders.realFolder(path)
      const project = { id: newId.worker(), folder, openedAt: clock.now() }
      return view(await storage.write(() => storage.projects.open(project)))
    },
    require(id: string): Project {
      const project = storage.projects.get(id)
      if (project === undefined) throw new AppError('PROJECT_NOT_FOUND', { projectId: id })
      return project
    },
    async read(project: Project): Promise<ProjectDetail> {
      const shown = await view(project)
      if (!shown.isThere) {
        const message = `The folder ${project.folder} is missing or cannot be read. Restore it, or remove the project.`
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
    async forget({ id }: Project) {
      await storage.write(() => storage.projects.remove(id))
      await Promise.all([builds.forget(id), previews.forget(id)])
      source.forget(id)
    },
    stop: async (): Promise<void> => void (await Promise.all([builds.stop(), previews.stopAll()])),
  }
}

type SourceReading = {
  readonly manifest: Manifest | undefined
  readonly fingerprint: string | undefined
  readonly problems: readonly BuildProblem[]
  readonly warnings: readonly BuildProblem[]
  readonly calls: readonly EndpointCall[]
  readonly places: Readonly<Record<string, { readonly file: string; readonly line: number }>>
}

type CachedSource = { readonly files: readonly string[]; readonly stamp: string; readonly reading: SourceReading }

// A project of 2,000 files takes half a second. Source: ours, the most that people wait.
const SCAN_MS = 20_000

function createSourceReader({
  source,
  clock,
}: {
  readonly source: ProjectSource
  readonly clock: Pick<Clock, 'now' | 'after'>
}) {
  const cache = new Map<string, CachedSource>()
  const reading = new Map<string, Promise<SourceReading>>()

  async function read({ id, folder }: Project): Promise<SourceReading> {
    const known = cache.get(id)
    if (known !== undefined && (await source.stamp(folder, known.files)) === known.stamp) return known.reading
    try {
      const { scan, stamp } = await scanInTime(folder)
      const found = await readingOf(folder, scan)
      if (stamp === undefined) cache.delete(id)
      else cache.set(id, { files: scan.files, stamp, reading: found })
      return found
    } catch (error) {
      cache.delete(id)
      return { ...NOTHING, problems: problemsOf(error) }
    }
  }

  // Limited in time, because a user may open a folder that contains all their files.
  async function scanInTime(folder: string): ReturnType<ProjectSource['scan']> {
    const late = new AbortController()
    const cancelTimer = clock.after(SCAN_MS, () => {
      const message = `Reading the source took longer than ${SCAN_MS / 1000} s. Is ${folder} the folder of one app?`
      late.abort(new BuildFailure([{ code: 'SOURCE_TOO_LARGE', message }]))
    })
    try {
      return await source.scan(folder, late.signal)
    } finally {
      cancelTimer()
    }
  }

  async function readingOf(folder: string, scan: ScanDocument): Promise<SourceReading> {
    const { endpoints } = scan
    const warnings = [...scan.warnings, ...warningsOfAppName(appOfFolder(folder), scan)]
    const named = endpoints.flatMap(({ name, file, line }) => (name === null ? [] : [[name, { file, line }] as const]))
    const known = { warnings, calls: findCalls(endpoints), places: Object.fromEntries(named) }
    const requirements = collectRequirements({ scan })
    const python = choosePythonVersion({ endpoints, local: await source.localPython() })
    const ofPython = 'problem' in python ? [python.problem] : []
    const problems = [...scan.errors, ...requirements.problems, ...ofPython, ...problemsOfName(folder)]
    if (!scan.ok || 'problem' in python) return { ...NOTHING, ...known, problems }
    const fingerprint = await source.fingerprint(folder, scan.files)
    const manifest = makeAnyManifest({
      app: appOfFolder(folder),
      scan,
      pythonVersion: python.version,
      fingerprint,
      imageRequirements: requirements.ofImage,
      generatedAt: new Date(clock.now()).toISOString(),
    })
    return { ...known, manifest, fingerprint, problems }
  }

  return {
    read(project: Project): Promise<SourceReading> {
      const under = reading.get(project.id)
      if (under !== undefined) return under
      const begun = read(project).finally(() => reading.delete(project.id))
      reading.set(project.id, begun)
      return begun
    },
    forget: (projectId: string) => void cache.delete(projectId),
  }
}

function problemsOfName(folder: string): readonly BuildProblem[] {
  const app = appOfFolder(folder)
  const { error } = appName.safeParse(app)
  if (error === undefined) return []
  const message = `The app is named after its folder, and "${app}" ${error.issues[0]?.message}. Rename the folder.`
  return [{ code: 'APP_NAME', message }]
}

const NOTHING: SourceReading = {
  manifest: undefined,
  fingerprint: undefined,
  problems: [],
  warnings: [],
  calls: [],
  places: {},
}
