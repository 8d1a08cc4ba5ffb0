/**
 * Builds an artifact from a project folder and reports each step; a failed build keeps the previous artifact. Source:
 * docs/spec/app-deploy.md, 5.
 */

import {
  type BuildEvent,
  BuildFailure,
  type BuildProblem,
  type BuildStep,
  type BuiltApp,
  buildProblem,
} from '../../contract/build.ts'
import { limit } from '../../contract/limits.ts'
import { MANIFEST_FILE } from '../../contract/manifest.ts'
import { PLATFORM_MANIFEST_FILE } from '../../contract/platform-manifest.ts'
import type { ScanDocument, ScannedEndpoint } from '../../contract/scan.ts'
import { counted } from '../../lib/text.ts'
import {
  isOfSdk2,
  makeAnyManifest,
  makePlatformManifest,
  warningsOfAppName,
} from '../platform-api/rules/app-manifest.ts'
import type { BuildFolder, BuildPorts, InstalledSet, MadeArtifact } from './ports/build.ts'
import {
  type CollectedRequirements,
  choosePythonVersion,
  collectRequirements,
  type ExclusionProfile,
} from './rules/collect-requirements.ts'

// Fixed, because the same input must give the same bytes; releases have their own time.
const GENERATED_AT = '1980-01-01T00:00:00.000Z'
const REQUIREMENTS_FILE = 'requirements.txt'

export type BuildRequest = {
  readonly project: string
  readonly app: string
  readonly output: string
  /** `output` relative to the project, if inside: an artifact never contains an earlier one. */
  readonly outputInProject?: string | undefined
  readonly excludes?: readonly string[]
  readonly profile?: ExclusionProfile
  readonly pythonVersion?: string | undefined
  readonly keepBuild?: boolean
  /** Absolute folders outside the project that links may lead to. */
  readonly allowLinksTo?: readonly string[] | undefined
  readonly isPreview?: boolean
  readonly check?: ((scan: ScanDocument) => Promise<void>) | undefined
}

export async function buildApp<Made extends MadeArtifact>(
  ports: BuildPorts<Made>,
  request: BuildRequest,
  report: (event: BuildEvent) => void = () => {},
  signal?: AbortSignal,
): Promise<BuiltApp & Made> {
  const steps = reportSteps(ports, report)
  // In parallel with the scan, because starting Python takes as long.
  const local = request.pythonVersion === undefined ? ports.localPython(signal) : Promise.resolve(undefined)
  const folder = await ports.openFolder(request.project)
  let takeBack = async () => {}
  try {
    takeBack = await ports.ignoreState(request.project)
    const scan = await steps.run('scan', () => discover(ports, request, folder, signal))
    await request.check?.(scan)
    const handlerFiles = await steps.run('handlers', async () => handlersOf(scan))
    const requirements = await steps.run('requirements', async () => collect(request, scan, await local))
    const packages = await steps.run('install', async (progress) => {
      if (requirements.wanted.length === 0) return { value: undefined, summary: 'no packages' }
      const wanted = { ...requirements, project: request.project }
      const value = await ports.install(wanted, { onLine: progress, signal })
      return { value, summary: summaryOf(value) }
    })
    const generated = await steps.run('manifest', () =>
      describe(ports, request, { scan, requirements, packages }, folder, signal),
    )
    const packed = await steps.run('pack', async () => {
      const content = {
        project: request.project,
        projectFiles: scan.files,
        handlersFolder: folder.handlers,
        handlerFiles,
        generated: generated.files,
        packages,
      }
      const value = await ports.pack(content, request.output, signal)
      return { value, summary: counted(value.files, 'file') }
    })
    const manifest = await ports.writeState(request.project, MANIFEST_FILE, generated.manifestNow)
    takeBack = async () => {}
    return {
      ...resultOf(request, { scan, requirements, packages, manifest, ...generated, ...steps.times() }),
      ...packed,
    }
  } finally {
    await takeBack()
    await folder.close(request.keepBuild === true)
  }
}

type Ports = BuildPorts<MadeArtifact>
type Step<Value> = { readonly value: Value; readonly summary: string }

function reportSteps({ clock }: Pick<Ports, 'clock'>, report: (event: BuildEvent) => void) {
  const began = clock.steady()
  const ended: { step: BuildStep; tookMs: number }[] = []
  return {
    async run<Value>(
      step: BuildStep,
      work: (progress: (text: string) => void) => Promise<Step<Value>>,
    ): Promise<Value> {
      const start = clock.steady()
      report({ kind: 'started', step })
      const { value, summary } = await work((text) => report({ kind: 'progress', step, text }))
      const tookMs = Math.round(clock.steady() - start)
      ended.push({ step, tookMs })
      report({ kind: 'ended', step, tookMs, summary })
      return value
    },
    times: () => ({ steps: ended, tookMs: Math.round(clock.steady() - began) }),
  }
}

async function discover(
  ports: Pick<Ports, 'scan'>,
  { project, outputInProject, allowLinksTo, isPreview = false }: BuildRequest,
  folder: BuildFolder,
  signal: AbortSignal | undefined,
): Promise<Step<ScanDocument>> {
  const found = await ports.scan({ project, handlersFolder: folder.handlers, allowLinksTo, signal })
  if (!found.ok) throw new BuildFailure(found.errors)
  const tooShort = namesTooShort(found)
  if (!isPreview && tooShort.length > 0) throw new BuildFailure(tooShort)
  const files = found.files.filter((file) => file !== outputInProject)
  const endpoints = found.endpoints.filter(hasEndpoint).length
  const tasks = found.endpoints.filter(({ kind }) => kind === 'task').length
  const andTasks = tasks === 0 ? '' : ` and ${counted(tasks, 'task')}`
  return {
    value: { ...found, files },
    summary: `${counted(endpoints, 'endpoint')}${andTasks} in ${counted(files.length, 'file')}`,
  }
}

const hasEndpoint = ({ kind }: ScannedEndpoint) => kind !== 'client' && kind !== 'task'

// Source: runpod 2.0.0rc2, apps/deploy.py.
const SHORTEST_NAME = 3

function namesTooShort({ endpoints }: ScanDocument): readonly BuildProblem[] {
  return endpoints.flatMap(({ sdk, kind, name, file, line }) =>
    sdk === 2 && kind !== 'task' && name !== null && name.length < SHORTEST_NAME
      ? buildProblem('NAME_TOO_SHORT', { name }, { file, line })
      : [],
  )
}

function handlersOf({ endpoints }: ScanDocument): Step<readonly string[]> {
  const running = endpoints.filter(({ kind, sdk }) => sdk !== 2 && (kind === 'queue' || kind === 'load-balanced'))
  const missing = running.filter(({ handlerFile }) => handlerFile === undefined)
  if (missing.length > 0) {
    throw new BuildFailure(
      missing.map(({ name, file, line }) => buildProblem('HANDLER_MISSING', { name: name ?? '' }, { file, line })),
    )
  }
  const value = running.flatMap(({ handlerFile }) => handlerFile ?? [])
  return { value, summary: counted(value.length, 'handler file') }
}

type Wanted = CollectedRequirements & { readonly pythonVersion: string }

function collect(request: BuildRequest, scan: ScanDocument, local: string | undefined): Step<Wanted> {
  const { excludes = [], profile = 'specified', pythonVersion: asked } = request
  const requirements = collectRequirements({ scan, excludes, profile })
  const python = choosePythonVersion({ asked, endpoints: scan.endpoints, local })
  const problems = [...requirements.problems, ...('problem' in python ? [python.problem] : [])]
  if ('problem' in python || problems.length > 0) throw new BuildFailure(problems)
  const left = requirements.leftOut.length > 0 ? `, left out: ${requirements.leftOut.join(', ')}` : ''
  return {
    value: { ...requirements, pythonVersion: python.version },
    summary: `${requirements.wanted.length} for Python ${python.version}${left}`,
  }
}

function summaryOf({ packages, cached, removed }: InstalledSet): string {
  const left = removed.length > 0 ? `, removed again: ${removed.join(', ')}` : ''
  return `${counted(packages.length, 'package')}${cached ? ', from the cache' : ''}${left}`
}

type Found = {
  readonly scan: ScanDocument
  readonly requirements: Wanted
  readonly packages: InstalledSet | undefined
}

type Generated = {
  readonly fingerprint: string
  readonly files: Readonly<Record<string, string>>
  readonly manifestNow: string
}

async function describe(
  ports: Pick<Ports, 'hashFiles' | 'hashEndpoints' | 'clock'>,
  { project, app }: BuildRequest,
  { scan, requirements, packages }: Found,
  folder: BuildFolder,
  signal: AbortSignal | undefined,
): Promise<Step<Generated>> {
  const { pythonVersion, wanted, ofImage } = requirements
  const hashes = new Map<string, string>()
  const fingerprint = await ports.hashFiles(project, scan.files, signal, (path, sha256) => hashes.set(path, sha256))
  const sourceFiles = hashes.size > limit('manifestFiles') ? {} : { sourceFiles: Object.fromEntries(hashes) }
  const imageRequirements = [...new Set([...ofImage, ...(packages?.imageRequirements ?? [])])].sort()
  const { handlers: handlersFolder } = folder
  const code = { project, scan, handlersFolder, pythonVersion, packages: packages?.packages ?? [] }
  const endpointFingerprints = (await ports.hashEndpoints?.(code, signal)) ?? {}
  const described = { app, scan, pythonVersion, fingerprint, ...sourceFiles, endpointFingerprints, imageRequirements }
  const manifestAt = (generatedAt: string) => {
    return asFile(makeAnyManifest({ ...described, generatedAt }))
  }
  const files = {
    [MANIFEST_FILE]: manifestAt(GENERATED_AT),
    ...(isOfSdk2(scan)
      ? { [PLATFORM_MANIFEST_FILE]: asFile(makePlatformManifest(described, requirements.leftOut)) }
      : {}),
    [REQUIREMENTS_FILE]: wanted.map((requirement) => `${requirement}\n`).join(''),
  }
  for (const [name, text] of Object.entries(files)) await folder.write(name, text)
  const value = { fingerprint, files, manifestNow: manifestAt(new Date(ports.clock.now()).toISOString()) }
  return { value, summary: `fingerprint ${fingerprint.slice(0, 12)}` }
}

const asFile = (value: object) => `${JSON.stringify(value, null, 2)}\n`

function resultOf(
  request: BuildRequest,
  built: Found & {
    readonly manifest: string
    readonly fingerprint: string
    readonly steps: BuiltApp['steps']
    readonly tookMs: number
  },
): Omit<BuiltApp, 'files'> {
  const { scan, requirements, packages, manifest, fingerprint, steps, tookMs } = built
  const deployed = scan.endpoints.filter(hasEndpoint)
  return {
    app: request.app,
    artifact: request.output,
    manifest,
    fingerprint,
    pythonVersion: requirements.pythonVersion,
    endpoints: deployed.map(({ name, kind, sources }) => ({
      name: name ?? '',
      kind,
      ...(sources ? { code: sources.sha256 } : {}),
    })),
    tasks: scan.endpoints.flatMap(({ name, kind }) => (kind === 'task' && name !== null ? [name] : [])),
    ...(scan.app ? { appFile: scan.app.file } : {}),
    packages: packages?.packages ?? [],
    packagesCached: packages?.cached ?? false,
    excluded: [...new Set([...requirements.leftOut, ...(packages?.removed ?? [])])].sort(),
    warnings: [
      ...scan.warnings,
      ...warningsOfAppName(request.app, scan),
      ...namesTooShort(scan),
      ...(packages?.warnings ?? []),
    ],
    steps,
    tookMs,
  }
}
