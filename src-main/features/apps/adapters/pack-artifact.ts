import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { BuildFailure } from '../../../contract/build.ts'
import type { ArtifactContent, InstalledSet, PackArtifact } from '../ports/build.ts'
import { tooLargeProblem } from '../rules/archive-size.ts'
import { comparePaths } from '../rules/manifest.ts'
import { listFiles } from './read-files.ts'
import { createMeter, type Meter, OverLimit, type TarEntry, writePart } from './tar-part.ts'
import { makeFile } from './write-files.ts'

export function createPacker(options: OurPackages & { readonly limitBytes: number }): PackArtifact {
  return async (content, output, signal) => {
    const app = await appEntries(content, options)
    const meter = createMeter(options.limitBytes)
    const appBytes = { before: 0, packed: 0 }
    const onEntry = (size: number) => {
      appBytes.packed += size
    }
    try {
      const files = await makeFile(output, async (path) => {
        const target = createWriteStream(path, { flags: 'wx', flush: true })
        try {
          const packageFiles =
            content.packages === undefined ? 0 : await addPackages(content.packages, app, target, meter)
          appBytes.before = meter.bytes()
          await writePart(app, target, { isLast: true, meter, onEntry, signal })
          return packageFiles + app.length
        } finally {
          target.destroy()
        }
      })
      return { bytes: meter.bytes(), sha256: meter.sha256(), files }
    } catch (error) {
      if (!(error instanceof OverLimit)) throw error
      throw await overLimit(content, options.limitBytes, { written: meter.bytes() - appBytes.before, ...appBytes })
    }
  }
}

async function addPackages(
  packages: InstalledSet,
  app: readonly TarEntry[],
  target: NodeJS.WritableStream,
  meter: Meter,
): Promise<number> {
  const { entries, isWhole } = await packageEntries(packages, app)
  if (isWhole) await pipeline(createReadStream(packages.archivePart), meter.through(), target, { end: false })
  else await writePart(entries, target, { isLast: false, meter })
  return entries.length
}

// Usual compression ratio of text, for files not reached when writing stopped.
const USUAL_SHARE = 0.3

async function overLimit(
  { project, projectFiles, packages }: ArtifactContent,
  limitBytes: number,
  app: { readonly written: number; readonly packed: number },
): Promise<BuildFailure> {
  const files = await Promise.all(
    projectFiles.map(async (path) => ({ path, bytes: (await stat(join(project, path))).size })),
  )
  files.sort((a, b) => b.bytes - a.bytes)
  const projectBytes = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const share = app.packed > 0 ? app.written / app.packed : USUAL_SHARE
  const plainBytes = packages?.packages.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0
  const partBytes = packages?.archivePartBytes ?? 0
  const archiveBytes = Math.max(limitBytes + 1, partBytes + projectBytes * share)
  const packageShare = plainBytes > 0 ? partBytes / plainBytes : 1
  return new BuildFailure([
    tooLargeProblem({ limitBytes, archiveBytes, packageShare, packages: packages?.packages ?? [], files }),
  ])
}

export type OurPackages = { readonly pythonPackages: string; readonly sdk: readonly string[] }

export async function appEntries(
  { project, projectFiles, handlersFolder, handlerFiles, generated }: ArtifactContent,
  { pythonPackages, sdk }: OurPackages,
): Promise<TarEntry[]> {
  const ours = await Promise.all(
    sdk.map(async (name) => (await listFiles(join(pythonPackages, name))).map((file) => `${name}/${file}`)),
  )
  const entries = [
    ...entriesIn(project, projectFiles),
    ...entriesIn(handlersFolder, handlerFiles),
    ...entriesIn(pythonPackages, ours.flat()),
    ...Object.entries(generated).map(([name, text]) => ({ name, text })),
  ]
  // A generated file replaces a project file of the same name.
  const byName = new Map<string, TarEntry>(entries.map((entry) => [entry.name, entry]))
  return [...byName.values()].sort((a, b) => comparePaths(a.name, b.name))
}

/** Omits files that the app part also has: the app's win, as in its own folder. */
export async function packageEntries({ folder }: InstalledSet, app: readonly TarEntry[]) {
  const names = await listFiles(folder)
  const taken = new Set(app.map(({ name }) => name))
  const added = names.filter((name) => !taken.has(name))
  return { entries: entriesIn(folder, added), isWhole: added.length === names.length }
}

function entriesIn(folder: string, names: readonly string[]) {
  return names.map((name) => ({ name, path: join(folder, name) }))
}
