/**
 * The files that a program consists of: the one that is run, and those of its folder that it imports, found by their
 * names in the source. A name that is made while the program runs is not found.
 */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { isNodeHandler } from '../contract/endpoint.ts'
import type { CodeEntry } from '../domain/worker/code-entry.ts'

// Source: ours; a program with more files than that is an app, and a source that large is data.
const MAX_FILES = 1000
const MAX_SOURCE_BYTES = 1024 * 1024

/**
 * Reads the file that is run, and those that it imports.
 * @returns a hash of each by its path relative to the folder; none if the one that is run is not there
 */
export async function readImportedFiles({ folder, file }: CodeEntry): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const seen = new Set<string>()
  let next: readonly string[] = [posix.normalize(file)]
  while (next.length > 0) {
    const sources = await Promise.all(next.map(async (path) => [path, await readSource(join(folder, path))] as const))
    const named = new Set<string>()
    for (const [path, source] of sources) {
      seen.add(path)
      if (source === undefined || found.size >= MAX_FILES) continue
      found.set(path, createHash('sha256').update(source).digest('base64'))
      for (const each of candidatesIn(path, source)) if (!seen.has(each)) named.add(each)
    }
    next = [...named]
  }
  return found
}

async function readSource(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true || found.size > MAX_SOURCE_BYTES) return undefined
  return await readFile(path, 'utf8').catch(() => undefined)
}

/** Paths that the imports of a source may mean, all within the folder. */
function candidatesIn(path: string, source: string): readonly string[] {
  const all =
    isNodeHandler(path) || path.endsWith('.cjs') ? nodeCandidates(path, source) : pythonCandidates(path, source)
  return all.map((each) => posix.normalize(each)).filter((each) => !each.startsWith('../'))
}

const NODE_IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"](\.{1,2}\/[^'"\n]+)['"]/g
const NODE_ENDINGS = ['', '.ts', '.mts', '.js', '.mjs', '.cjs', '/index.ts', '/index.js'] as const

function nodeCandidates(path: string, source: string): readonly string[] {
  return [...source.matchAll(NODE_IMPORT)].flatMap(([, name = '']) =>
    NODE_ENDINGS.map((ending) => posix.join(posix.dirname(path), name) + ending),
  )
}

const FROM_IMPORT = /^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)/gm
const IMPORT = /^[ \t]*import[ \t]+([^\n]*)/gm
const IMPORT_BY_NAME = /\b(?:import_module|__import__)\(\s*['"]([\w.]+)['"]/g

function pythonCandidates(path: string, source: string): readonly string[] {
  const code = source.replaceAll(/#.*$/gm, '')
  const ofModules = [
    ...[...code.matchAll(IMPORT)].flatMap(([, names = '']) => namesIn(names)),
    ...[...code.matchAll(IMPORT_BY_NAME)].flatMap(([, name = '']) => name),
  ].flatMap((name) => modulePaths('.', name))
  const ofParts = [...code.matchAll(FROM_IMPORT)].flatMap(([, dots = '', module = '', names = '']) => {
    const from = dots === '' ? '.' : posix.join(posix.dirname(path), '../'.repeat(dots.length - 1))
    return namesIn(names).flatMap((name) => modulePaths(from, module === '' ? name : `${module}.${name}`))
  })
  return [...ofModules, ...ofParts]
}

// `a as b, (c)` names a and c.
function namesIn(list: string): readonly string[] {
  return list.split(/[,;]/).flatMap((part) => /[\w.]+/.exec(part)?.[0] ?? [])
}

/** A module may be a file or a folder, and so may each package that it is in. */
function modulePaths(from: string, name: string): readonly string[] {
  const parts = name.split('.')
  return parts.flatMap((_, at) => {
    const path = posix.join(from, ...parts.slice(0, at + 1))
    return [`${path}.py`, `${path}/__init__.py`]
  })
}
