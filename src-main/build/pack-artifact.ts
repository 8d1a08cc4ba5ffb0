import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { BuildFailure } from '../contract/build.ts'
import { tooLargeProblem } from '../domain/app/archive-size.ts'
import { comparePaths } from '../domain/app/fingerprint.ts'
import type { ArtifactContent, InstalledSet, PackArtifact } from '../services/ports/build.ts'
import { listFiles } from './list-files.ts'
import { makeFile } from './new-file.ts'
import { createMeter, type Meter, OverLimit, type TarEntry, writePart } from './tar-part.ts'

/** What the packer takes beside the app. */
export type PackerOptions = {
  /** Folder of our Python packages, and which of them every artifact holds. */
  readonly pythonPackages: string
  readonly sdk: readonly string[]
  readonly limitBytes: number
}

/** Makes what packs artifacts: packages first, as they were compressed when they were installed, then the app. */
export function createPacker(options: PackerOptions): PackArtifact {
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

/** Adds the packages. @returns how many files they are */
async function addPackages(
  { folder, archivePart }: InstalledSet,
  app: readonly TarEntry[],
  target: NodeJS.WritableStream,
  meter: Meter,
): Promise<number> {
  const names = await listFiles(folder)
  const taken = new Set(app.map(({ name }) => name))
  const added = names.filter((name) => !taken.has(name))
  if (added.length === names.length) {
    await pipeline(createReadStream(archivePart), meter.through(), target, { end: false })
  } else {
    // Where both have a file the app's counts, as it does when the app runs in its own folder.
    await writePart(entriesIn(folder, added), target, { isLast: false, meter })
  }
  return added.length
}

/** The app's own part, sorted: project, handlers, what was generated, and our packages. */
async function appEntries(content: ArtifactContent, { pythonPackages, sdk }: PackerOptions): Promise<TarEntry[]> {
  const { project, projectFiles, handlersFolder, handlerFiles, generated } = content
  const ours = await Promise.all(
    sdk.map(async (name) => (await listFiles(join(pythonPackages, name))).map((file) => `${name}/${file}`)),
  )
  const entries = [
    ...entriesIn(project, projectFiles),
    ...entriesIn(handlersFolder, handlerFiles),
    ...entriesIn(pythonPackages, ours.flat()),
    ...Object.entries(generated).map(([name, text]) => ({ name, text })),
  ]
  // What is generated counts more than a file of the project with its name.
  const byName = new Map<string, TarEntry>(entries.map((entry) => [entry.name, entry]))
  return [...byName.values()].sort((a, b) => comparePaths(a.name, b.name))
}

function entriesIn(folder: string, names: readonly string[]): TarEntry[] {
  return names.map((name) => ({ name, path: join(folder, name) }))
}

// An archive of text has about this share of its size; only for what was not reached when writing stopped.
const USUAL_SHARE = 0.3

/** Looks at what is large. @param app bytes of the app's part: written to the archive, and packed before that */
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
