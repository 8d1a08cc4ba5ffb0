import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArtifactContent, InstalledSet } from '../ports/build.ts'
import {
  type ArtifactContents,
  type ContainedFile,
  type ContainedPackage,
  importedModules,
} from '../rules/artifact-pieces.ts'
import { parseRequirement } from '../rules/requirements.ts'
import { readDistributions } from './installed-distributions.ts'
import { appEntries, type OurPackages } from './pack-artifact.ts'
import type { TarEntry } from './tar-part.ts'

// Files checked in parallel: enough to keep the disk busy, few enough to give the service its turns.
const AT_ONCE = 64

export async function listContents(content: ArtifactContent, ours: OurPackages): Promise<ArtifactContents> {
  const ofProject = new Set(content.projectFiles)
  const entries = await appEntries(content, ours)
  const sizes = await inGroups(entries, sizeOf)
  const isOwn = ({ path }: ContainedFile) => ofProject.has(path)
  return {
    project: sizes.filter(isOwn),
    generated: sizes.filter((file) => !isOwn(file)),
    packages: content.packages === undefined ? [] : await listPackages(content.packages),
    wanted: (content.generated['requirements.txt'] ?? '').split('\n').flatMap(nameOf),
    imported: await importsOf(content),
  }
}

async function sizeOf(entry: TarEntry): Promise<ContainedFile> {
  if ('text' in entry) return { path: entry.name, bytes: Buffer.byteLength(entry.text) }
  // A file that disappeared during the build was already reported by the packer.
  const found = await stat(entry.path).catch(() => undefined)
  return { path: entry.name, bytes: found?.size ?? 0 }
}

async function listPackages({ folder, packages }: InstalledSet): Promise<ContainedPackage[]> {
  const installed = new Map((await readDistributions(folder)).map((one) => [one.name, one.files]))
  return packages.map(({ name, version, bytes }) => {
    const files = (installed.get(name) ?? []).filter((file) => !/\.py[co]$/.test(file))
    return { name, version, bytes, files: files.length, modules: modulesOf(files) }
  })
}

function modulesOf(files: readonly string[]): readonly string[] {
  const modules = files.flatMap((file) => {
    const [first = '', ...rest] = file.split('/')
    if (rest.length > 0) return /^[A-Za-z_]\w*$/.test(first) && first !== 'bin' ? [first] : []
    return /^([A-Za-z_]\w*)(\.[\w-]+)*\.(py|so|pyd)$/.exec(first)?.[1] ?? []
  })
  return [...new Set(modules)]
}

async function importsOf({ project, projectFiles }: ArtifactContent): Promise<readonly string[] | undefined> {
  const sources = projectFiles.filter((file) => file.endsWith('.py'))
  const found = await inGroups(sources, async (file) =>
    importedModules(await readFile(join(project, file), 'utf8').catch(() => '')),
  )
  const all = new Set<string>()
  for (const modules of found) {
    if (modules === undefined) return undefined
    for (const module of modules) all.add(module)
  }
  return [...all].sort()
}

function nameOf(line: string): readonly string[] {
  if (line === '') return []
  const read = parseRequirement(line)
  return 'why' in read ? [] : [read.name]
}

async function inGroups<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += AT_ONCE)
    results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(work))))
  return results
}
