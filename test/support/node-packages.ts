import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type NodePackageContent = {
  readonly requirements?: string
  readonly pyproject?: string
  /** Names of the classes that its `__init__.py` registers. */
  readonly classes?: readonly string[]
  readonly licence?: string
  readonly files?: Readonly<Record<string, string | Uint8Array>>
}

const IDENTITY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgsign=false']

/** Commits files as a new git repository. @returns the commit */
export function makeRepository(folder: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const git = (...args: readonly string[]) =>
    execFileSync('git', [...IDENTITY, '-C', folder, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim()
  git('init', '--quiet', '--initial-branch', 'main')
  git('add', '--all', '--force')
  git('commit', '--quiet', '--allow-empty', '--message', 'Begin')
  return git('rev-parse', 'HEAD')
}

/** A repository of a custom node package. @returns the commit */
export function makeNodePackage(folder: string, content: NodePackageContent): string {
  const { requirements, pyproject, classes = [], licence, files = {} } = content
  const keys = classes.map((name) => `    ${JSON.stringify(name)}: Node,`)
  const init = ['class Node:', '    FUNCTION = "run"', '', 'NODE_CLASS_MAPPINGS = {', ...keys, '}', ''].join('\n')
  mkdirSync(folder, { recursive: true })
  return makeRepository(folder, {
    '__init__.py': init,
    ...(requirements === undefined ? {} : { 'requirements.txt': requirements }),
    ...(pyproject === undefined ? {} : { 'pyproject.toml': pyproject }),
    ...(licence === undefined ? {} : { LICENSE: licence }),
    ...files,
  })
}
