import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { isNodeHandler } from '../../../contract/endpoint.ts'
import type { CodeEntry } from '../rules/code-entry.ts'

// Source: ours; a program with more files is an app, and a larger source is data.
const MAX_FILES = 1000
const MAX_SOURCE_BYTES = 1024 * 1024
// Total of paths to look for, and number at a time; source: ours, because generated code may name any number.
const MAX_PATHS = 20_000
const PATHS_AT_ONCE = 100

export async function readImportedFiles({ folder, file, isModule }: CodeEntry): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const run = posix.normalize(file)
  const module = run.replace(/\.py$/, '')
  const mayBeRun = isModule === true ? [run, `${module}/__main__.py`, `${module}/__init__.py`] : [run]
  const paths = new Set(mayBeRun)
  // Python first runs the packages that contain a module.
  if (isModule === true) for (const path of modulePaths('.', module.replaceAll('/', '.'))) paths.add(path)
  for (let looked = 0; looked < paths.size; ) {
    const some = [...paths].slice(looked, looked + PATHS_AT_ONCE)
    looked += some.length
    for (const source of await Promise.all(some.map((path) => readSource(folder, path)))) {
      if (source === undefined || found.size >= MAX_FILES) continue
      found.set(source.path, source.hash)
      for (const each of source.named) if (paths.size < MAX_PATHS) paths.add(each)
    }
  }
  return mayBeRun.some((path) => found.has(path)) ? found : new Map()
}

async function readSource(folder: string, path: string) {
  const found = await stat(join(folder, path)).catch(() => undefined)
  if (found?.isFile() !== true || found.size > MAX_SOURCE_BYTES) return undefined
  const source = await readFile(join(folder, path), 'utf8').catch(() => undefined)
  if (source === undefined) return undefined
  return { path, hash: createHash('sha256').update(source).digest('hex'), named: pathsIn(path, source) }
}

function pathsIn(path: string, source: string): ReadonlySet<string> {
  const all = isNodeHandler(path) || path.endsWith('.cjs') ? nodePaths(path, source) : pythonPaths(path, source)
  return new Set(
    all
      .take(MAX_PATHS)
      .map(posix.normalize)
      .filter((each) => !each.startsWith('../')),
  )
}

// The patterns run in linear time for any source.
const NODE_IMPORT = /(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?['"](\.{1,2}\/[^'"\n]{1,200})['"]/g
const NODE_ENDINGS = ['', '.ts', '.mts', '.js', '.mjs', '.cjs', '/index.ts', '/index.js'] as const

function* nodePaths(path: string, source: string): Generator<string> {
  for (const [, name = ''] of source.matchAll(NODE_IMPORT))
    for (const ending of NODE_ENDINGS) yield posix.join(posix.dirname(path), name) + ending
}

const FROM_IMPORT = /^[ \t]*from[ \t]+([\w.]{1,200})[ \t]+import[ \t]+(\([^()]*\)|[^\n]*)/gm
const IMPORT = /^[ \t]*import[ \t]+([^\n]*)/gm
const IMPORT_BY_NAME = /\b(?:import_module|__import__)\(\s*['"]([\w.]{1,200})['"]/g

function* pythonPaths(path: string, source: string): Generator<string> {
  const code = source.replaceAll(/#.*$/gm, '')
  for (const [, names = ''] of code.matchAll(IMPORT)) for (const name of namesIn(names)) yield* modulePaths('.', name)
  for (const [, name = ''] of code.matchAll(IMPORT_BY_NAME)) yield* modulePaths('.', name)
  for (const [, from = '', names = ''] of code.matchAll(FROM_IMPORT)) {
    const module = from.replace(/^\.+/, '')
    const dots = from.length - module.length
    const folder = dots === 0 ? '.' : posix.join(posix.dirname(path), '../'.repeat(dots - 1))
    for (const name of namesIn(names)) yield* modulePaths(folder, module === '' ? name : `${module}.${name}`)
  }
}

function namesIn(list: string): readonly string[] {
  return list.split(/[,;]/).flatMap((part) => /[\w.]{1,200}/.exec(part)?.[0] ?? [])
}

function* modulePaths(from: string, name: string): Generator<string> {
  let path = from
  for (const part of name.split('.')) {
    path = posix.join(path, part)
    yield `${path}.py`
    yield `${path}/__init__.py`
  }
}
