import { readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { InstalledPackage } from '../../../contract/build.ts'
import { chooseRemovals, type Distribution, neededOfImage, readMetadata, readRecord } from '../rules/distributions.ts'

export async function readDistributions(folder: string): Promise<Distribution[]> {
  const infos = (await readdir(folder)).filter((name) => name.endsWith('.dist-info')).sort()
  return Promise.all(
    infos.map(async (info) => {
      const read = (name: string) => readFile(join(folder, info, name), 'utf8').catch(() => '')
      const [metadata, record] = await Promise.all([read('METADATA'), read('RECORD')])
      return { ...readMetadata(metadata), files: readRecord(record) }
    }),
  )
}

export async function removeExcluded(
  folder: string,
  excludes: readonly string[],
  wanted: readonly string[],
): Promise<readonly string[]> {
  const { removed, files } = chooseRemovals(await readDistributions(folder), new Set(excludes), wanted)
  await Promise.all(files.map((file) => rm(join(folder, file), { force: true })))
  await removeEmptyFolders(folder, files)
  return removed
}

export async function readNeedsOfImage(
  folder: string,
  excludes: readonly string[],
  wanted: readonly string[],
): Promise<readonly string[]> {
  return neededOfImage(await readDistributions(folder), new Set(excludes), wanted)
}

export async function measurePackages(folder: string): Promise<InstalledPackage[]> {
  const distributions = await readDistributions(folder)
  return Promise.all(
    distributions.map(async ({ name, version, files }) => {
      const sizes = await Promise.all(files.map((file) => stat(join(folder, file)).catch(() => undefined)))
      return { name, version, bytes: sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0) }
    }),
  )
}

/** Makes scripts start with the target machine's python3: installers write this machine's path. */
export async function freeScripts(folder: string): Promise<void> {
  const found = await readdir(join(folder, 'bin'), { withFileTypes: true }).catch(() => [])
  for (const { name } of found.filter((entry) => entry.isFile())) {
    const path = join(folder, 'bin', name)
    const content = await readFile(path)
    if (!/^#!.*python/.test(content.subarray(0, content.indexOf('\n')).toString())) continue
    const rest = content.subarray(content.indexOf('\n'))
    await writeFile(path, Buffer.concat([Buffer.from('#!/usr/bin/env python3'), rest]))
  }
}

async function removeEmptyFolders(folder: string, files: readonly string[]): Promise<void> {
  const parents = new Set<string>()
  for (const file of files) {
    for (let parent = dirname(file); parent !== '.'; parent = dirname(parent)) parents.add(parent)
  }
  for (const parent of [...parents].sort((a, b) => b.length - a.length)) {
    // A folder that still has content belongs to somebody else and stays.
    await rmdir(join(folder, parent)).catch(() => undefined)
  }
}
