/** Reads the source of projects, and again only where a file has changed. Nothing of the user's is run. */
import { appName } from '../../contract/app.ts'
import { BuildFailure, type BuildProblem } from '../../contract/build.ts'
import type { Manifest } from '../../contract/manifest.ts'
import type { ScanDocument } from '../../contract/scan.ts'
import { collectRequirements } from '../../domain/app/collect-requirements.ts'
import { type EndpointCall, findCalls } from '../../domain/app/find-calls.ts'
import { makeManifest } from '../../domain/app/make-manifest.ts'
import { choosePythonVersion } from '../../domain/app/python-version.ts'
import type { Project, ProjectSource } from '../ports/projects.ts'
import type { Clock } from '../ports.ts'
import { appOfFolder } from './app-of-folder.ts'
import { problemsOf } from './problems-of.ts'

/** What discovery finds in a project. */
export type SourceReading = {
  /** Undefined: the source has errors. */
  readonly manifest: Manifest | undefined
  readonly fingerprint: string | undefined
  readonly problems: readonly BuildProblem[]
  readonly warnings: readonly BuildProblem[]
  readonly calls: readonly EndpointCall[]
  readonly places: Readonly<Record<string, { readonly file: string; readonly line: number }>>
}

/** Reads the source of projects. */
export type SourceReader = {
  /** Never rejects for what is wrong with the project: that is a problem of the reading. */
  readonly read: (project: Project) => Promise<SourceReading>
  readonly forget: (projectId: string) => void
}

type Kept = { readonly files: readonly string[]; readonly stamp: string; readonly reading: SourceReading }

// A project of 2,000 files takes half a second. Source: ours, what a person waits for at most.
const SCAN_MS = 20_000

/** Makes it. */
export function createSourceReader({
  source,
  clock,
}: {
  readonly source: ProjectSource
  readonly clock: Pick<Clock, 'now' | 'after'>
}): SourceReader {
  const kept = new Map<string, Kept>()
  const reading = new Map<string, Promise<SourceReading>>()

  async function read({ id, folder }: Project): Promise<SourceReading> {
    const known = kept.get(id)
    if (known !== undefined && (await source.stamp(folder, known.files)) === known.stamp) return known.reading
    try {
      const { scan, stamp } = await scanInTime(folder)
      const found = await readingOf(folder, scan)
      if (stamp === undefined) kept.delete(id)
      else kept.set(id, { files: scan.files, stamp, reading: found })
      return found
    } catch (error) {
      kept.delete(id)
      return { ...NOTHING, problems: problemsOf(error) }
    }
  }

  // Somebody may open a folder with all that they have.
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
    const { endpoints, warnings } = scan
    const named = endpoints.flatMap(({ name, file, line }) => (name === null ? [] : [[name, { file, line }] as const]))
    const known = { warnings, calls: findCalls(endpoints), places: Object.fromEntries(named) }
    const requirements = collectRequirements({ scan })
    const python = choosePythonVersion({ endpoints, local: await source.localPython() })
    const ofPython = 'problem' in python ? [python.problem] : []
    const problems = [...scan.errors, ...requirements.problems, ...ofPython, ...problemsOfName(folder)]
    if (!scan.ok || 'problem' in python) return { ...NOTHING, ...known, problems }
    const fingerprint = await source.fingerprint(folder, scan.files)
    const manifest = makeManifest({
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
    read(project) {
      const under = reading.get(project.id)
      if (under !== undefined) return under
      const begun = read(project).finally(() => reading.delete(project.id))
      reading.set(project.id, begun)
      return begun
    },
    forget: (projectId) => void kept.delete(projectId),
  }
}

/** An app is named after its folder, which may have a name that no app can have. */
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
