import { join } from 'node:path'
import { comparePaths } from '../domain/app/fingerprint.ts'
import type { ArtifactContent, InstalledSet } from '../services/ports/build.ts'
import { listFiles } from './list-files.ts'
import type { TarEntry } from './tar-part.ts'

/** What every artifact holds beside its app: a folder of our Python packages, and which of them. */
export type OurPackages = { readonly pythonPackages: string; readonly sdk: readonly string[] }

/** The app's own part of an artifact, sorted: project, handlers, what was generated, and our packages. */
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
  // What is generated counts more than a file of the project with its name.
  const byName = new Map<string, TarEntry>(entries.map((entry) => [entry.name, entry]))
  return [...byName.values()].sort((a, b) => comparePaths(a.name, b.name))
}

/** The installed part of an artifact, sorted. Where both parts have a file the app's counts, as in its own folder. */
export async function packageEntries({ folder }: InstalledSet, app: readonly TarEntry[]) {
  const names = await listFiles(folder)
  const taken = new Set(app.map(({ name }) => name))
  const added = names.filter((name) => !taken.has(name))
  return { entries: entriesIn(folder, added), isWhole: added.length === names.length }
}

function entriesIn(folder: string, names: readonly string[]) {
  return names.map((name) => ({ name, path: join(folder, name) }))
}
