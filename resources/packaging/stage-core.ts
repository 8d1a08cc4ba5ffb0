/**
 * Stages service and command line in a clone's layout, outside the asar archive, as Python, containers and Node read
 * plain files.
 */
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { PINNED, PINNED_NODE } from '../../src-main/app/cli/set-up.mjs'
import { NOT_BUNDLED } from '../../src-main/vite.config.ts'
import { buildPrograms, LIBRARIES_OF_PROGRAMS } from './build-programs.ts'

export type Target = { readonly platform: string; readonly arch: string }

type LockedPackages = Readonly<
  Record<string, { readonly dependencies?: Readonly<Record<string, string>>; readonly dev?: boolean }>
>

export type StagePlace = {
  readonly root: string
  readonly to: string
  readonly built?: string | undefined
  readonly target?: Target | undefined
}

const RESOURCES = [
  'python',
  'docker',
  'examples',
  'templates',
  'catalog',
  'grafana',
  'workflows',
  'node-types.json',
  'prices.json',
]
const LEFT_OUT = /(^|\/)(__pycache__|\.cache|test|tests)(\/|$)|\.(pyc|map|md|d\.ts)$/

/** @throws Error if a file is missing, with the command that makes it */
export function stageCore({ root, to, built = join(root, 'out', 'desktop'), target }: StagePlace): void {
  if (target !== undefined) demandOwnKind(target)
  rmSync(to, { recursive: true, force: true })
  const from = (...path: string[]) => join(root, ...path)
  const copy = (path: string, place: string, filter: (path: string) => boolean = () => true) =>
    cpSync(path, join(to, place), { recursive: true, filter, dereference: true })

  demand(join(built, 'cli.js'), 'npm run build:desktop')
  demand(from('out', 'renderer', 'index.html'), 'npm run build')
  copy(built, 'out/desktop')
  copy(from('out', 'renderer'), 'out/renderer')
  for (const name of RESOURCES)
    copy(from('resources', name), `resources/${name}`, (path) => !/__pycache__|\.pyc$/.test(path))
  buildPrograms(root, to)
  copy(from('LICENSE'), 'LICENSE')
  writeManifest(root, to)
  if (target !== undefined) copyRuntime(root, to, target)
}

function copyRuntime(root: string, to: string, target: Target): void {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: LockedPackages
  }
  for (const folder of neededFolders(lock.packages, [...NOT_BUNDLED, ...LIBRARIES_OF_PROGRAMS]))
    cpSync(join(root, folder), join(to, folder), { recursive: true, filter: wanted(folder, target), dereference: true })
  copyNode(to, target)
  mkdirSync(join(to, 'bin'))
  for (const command of ['drydock', 'drydock.cmd']) {
    cpSync(join(import.meta.dirname, 'bin', command), join(to, 'bin', command))
    chmodSync(join(to, 'bin', command), 0o755)
  }
}

function wanted(folder: string, { platform, arch }: Target): (path: string) => boolean {
  const start = join(folder).length
  return (path) => {
    const inside = path
      .slice(path.indexOf(join(folder)) + start)
      .split(sep)
      .join('/')
    if (inside.includes('/node_modules/')) return false
    if (folder.endsWith('/better-sqlite3') && /^\/(deps|src|binding\.gyp)(\/|$)/.test(inside)) return false
    const prebuilt = /^\/prebuilds\/(.+)\.node$/.exec(inside)
    if (prebuilt !== null) return prebuilt[1] === `${platform}-${arch}`
    return !LEFT_OUT.test(inside)
  }
}

// The pinned Node is this machine's, so packages are built on the kind of machine they target.
function demandOwnKind({ platform, arch }: Target): void {
  if (platform === process.platform && arch === process.arch) return
  throw new Error(
    `The pinned Node here is for ${process.platform}-${process.arch}: make the package for ${platform}-${arch} on such a machine.`,
  )
}

function copyNode(to: string, { platform }: Target): void {
  const name = platform === 'win32' ? 'node.exe' : 'node'
  demand(PINNED_NODE, `node src-main/app/cli/set-up.mjs ${PINNED}`)
  mkdirSync(join(to, 'node_modules', 'node', 'bin'), { recursive: true })
  cpSync(PINNED_NODE, join(to, 'node_modules', 'node', 'bin', name), { dereference: true })
}

function writeManifest(root: string, to: string): void {
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  writeFileSync(join(to, 'package.json'), JSON.stringify({ name, version, license, private: true, type: 'module' }))
}

function demand(path: string, command: string): void {
  if (!existsSync(path)) throw new Error(`${path} is missing: run \`${command}\` first.`)
}

/** Resolves required packages from a lock file as Node does, without optional ones. */
export function neededFolders(packages: LockedPackages, names: readonly string[]): readonly string[] {
  const found = new Set<string>()
  const visit = (name: string, from: string) => {
    const folder = locate(packages, name, from)
    if (found.has(folder)) return
    found.add(folder)
    for (const dependency of Object.keys(packages[folder]?.dependencies ?? {})) visit(dependency, folder)
  }
  for (const name of names) visit(name, '')
  return [...found].sort()
}

function locate(packages: LockedPackages, name: string, from: string): string {
  for (let at = from; ; at = parentOf(at)) {
    const folder = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (folder in packages) return folder
    if (at === '') throw new Error(`the lock file has no package ${name}, which ${from || 'Drydock'} needs`)
  }
}

function parentOf(folder: string): string {
  const at = folder.lastIndexOf('/node_modules/')
  return at < 0 ? '' : folder.slice(0, at)
}
