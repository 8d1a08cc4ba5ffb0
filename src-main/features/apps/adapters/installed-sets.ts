/**
 * Caches installed packages in `.svc/packages/KEY` by requirements, so that code changes install nothing. A complete
 * set is renamed into place.
 */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { z } from 'zod'
import { BuildFailure, type BuildProblem, buildProblem } from '../../../contract/build.ts'
import type { InstalledSet, InstallPackages } from '../ports/build.ts'
import { ABANDONED_MS } from './build-folder.ts'
import { freeScripts, measurePackages, readNeedsOfImage, removeExcluded } from './installed-distributions.ts'
import { findInstaller, INSTALL_PLATFORM, type Installer, runInstaller } from './installer.ts'
import { listFiles } from './read-files.ts'
import { createMeter, writePart } from './tar-part.ts'
import { putInPlace } from './write-files.ts'

// Two to switch between two branches, and one more; a set can have gigabytes.
const STORED_SETS = 3
// Changes with the format of a set.
const FORM = 2
const BEGUN = 'new-'

const setFile = z.object({
  packages: z.array(z.object({ name: z.string(), version: z.string(), bytes: z.number() })),
  removed: z.array(z.string()),
  imageRequirements: z.array(z.string()),
  archivePartBytes: z.number(),
})

export type InstalledSetsOptions = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** ms without progress that an installer may take. */
  readonly limitMs: number
  readonly now: () => number
}

type Request = Parameters<InstallPackages>[0]

export function createPackageInstaller(options: InstalledSetsOptions): InstallPackages {
  return async (request, { onLine, signal }) => {
    const sets = join(request.project, '.svc', 'packages')
    const folder = join(sets, keyOf(request))
    const known = await readSet(folder, options.now())
    if (known !== undefined) return { ...known, cached: true, warnings: [] }

    const installer = await findInstaller(request.pythonVersion, options.env, signal)
    if (installer === undefined) {
      throw new BuildFailure([buildProblem('INSTALLER_MISSING', { packages: request.names.join(', ') })])
    }
    await mkdir(sets, { recursive: true })
    const begun = await mkdtemp(join(sets, BEGUN))
    try {
      await fillSet(begun, installer, request, { onLine, signal }, options)
      await putInPlace(begun, folder)
    } finally {
      await rm(begun, { recursive: true, force: true })
    }
    await removeOldSets(sets, options.now())
    const made = await readSet(folder, options.now())
    if (made === undefined) throw new Error(`${folder} was removed while it was made`)
    return { ...made, cached: false, warnings: warningsOf(installer, request.pythonVersion) }
  }
}

function keyOf({ wanted, options, excludes, pythonVersion }: Request): string {
  const key = JSON.stringify([FORM, INSTALL_PLATFORM, pythonVersion, wanted, options, excludes])
  return createHash('sha256').update(key).digest('hex').slice(0, 32)
}

async function readSet(folder: string, now: number): Promise<Omit<InstalledSet, 'cached' | 'warnings'> | undefined> {
  let text: string
  try {
    text = await readFile(join(folder, 'set.json'), 'utf8')
  } catch {
    return undefined
  }
  await utimes(folder, now / 1000, now / 1000)
  return {
    folder: join(folder, 'site'),
    archivePart: join(folder, 'part.tar.gz'),
    ...setFile.parse(JSON.parse(text)),
  }
}

async function fillSet(
  folder: string,
  installer: Installer,
  request: Request,
  { onLine, signal }: Parameters<InstallPackages>[1],
  { env, limitMs }: InstalledSetsOptions,
): Promise<void> {
  const [site, requirementsFile, excludesFile] = ['site', 'requirements.txt', 'excludes.txt'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  await mkdir(site)
  await writeFile(requirementsFile, [...optionLines(request), ...request.wanted, ''].join('\n'))
  await writeFile(excludesFile, request.excludes.map((name) => `${name} ; python_version < "0"\n`).join(''))
  const installation = { target: site, requirementsFile, excludesFile, pythonVersion: request.pythonVersion }
  await runInstaller(installer, installation, { env, cwd: request.project, limitMs, onLine, signal })
  const removed = await removeExcluded(site, request.excludes, request.names)
  const imageRequirements = await readNeedsOfImage(site, request.excludes, request.wanted)
  await freeScripts(site)
  const archivePartBytes = await compress(site, join(folder, 'part.tar.gz'), signal)
  const packages = await measurePackages(site)
  await writeFile(join(folder, 'set.json'), JSON.stringify({ packages, removed, imageRequirements, archivePartBytes }))
}

/** Paths in options are relative to their file, which the installer does not read in place. */
function optionLines({ project, options }: Request): string[] {
  return options.map(({ name, value, file }) => {
    if (value === undefined) return name
    const isPath = name === '--find-links' && !/^[a-z][a-z0-9+.-]*:/i.test(value)
    return `${name} ${isPath ? resolve(project, dirname(file), value) : value}`
  })
}

async function compress(site: string, path: string, signal: AbortSignal | undefined): Promise<number> {
  const entries = (await listFiles(site)).map((name) => ({ name, path: join(site, name) }))
  const target = createWriteStream(path, { flush: true })
  const meter = createMeter(Number.POSITIVE_INFINITY)
  await writePart(entries, target, { isLast: false, meter, signal })
  target.end()
  await finished(target)
  return meter.bytes()
}

async function removeOldSets(sets: string, now: number): Promise<void> {
  const found = await Promise.all(
    (await readdir(sets)).map(async (name) => {
      const folder = join(sets, name)
      const usedAt = (await stat(folder).catch(() => undefined))?.mtimeMs ?? now
      return { folder, usedAt, isBegun: name.startsWith(BEGUN) }
    }),
  )
  const whole = found.filter(({ isBegun }) => !isBegun).sort((a, b) => b.usedAt - a.usedAt)
  const abandoned = found.filter(({ isBegun, usedAt }) => isBegun && now - usedAt > ABANDONED_MS)
  for (const { folder } of [...whole.slice(STORED_SETS), ...abandoned])
    await rm(folder, { recursive: true, force: true })
}

function warningsOf({ name, python }: Installer, pythonVersion: string): readonly BuildProblem[] {
  if (name === 'uv' || python === undefined || python === pythonVersion) return []
  return [buildProblem('OTHER_PYTHON', { python, version: pythonVersion })]
}
