import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

type Files = Readonly<Record<string, string | Uint8Array>>

export type NodePackageContent = {
  readonly requirements?: string
  readonly pyproject?: string
  /** Names of the classes that its `__init__.py` registers. */
  readonly classes?: readonly string[]
  readonly licence?: string
  readonly files?: Files
}

const IDENTITY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgsign=false']

function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

/** Commits files as a new git repository. */
export function makeRepository(folder: string, files: Files): void {
  writeFiles(folder, files)
  const git = (...args: readonly string[]) =>
    execFileSync('git', [...IDENTITY, '-C', folder, ...args], { stdio: 'pipe' })
  git('init', '--quiet', '--initial-branch', 'main')
  git('add', '--all', '--force')
  git('commit', '--quiet', '--allow-empty', '--message', 'Begin')
}

export const writeNodePackage = (folder: string, content: NodePackageContent): void =>
  writeFiles(folder, filesOf(content))

function filesOf(content: NodePackageContent): Files {
  const { requirements, pyproject, classes = [], licence, files = {} } = content
  const keys = classes.map((name) => `    ${JSON.stringify(name)}: Node,`)
  const init = ['class Node:', '    FUNCTION = "run"', '', 'NODE_CLASS_MAPPINGS = {', ...keys, '}', ''].join('\n')
  return {
    '__init__.py': init,
    ...(requirements === undefined ? {} : { 'requirements.txt': requirements }),
    ...(pyproject === undefined ? {} : { 'pyproject.toml': pyproject }),
    ...(licence === undefined ? {} : { LICENSE: licence }),
    ...files,
  }
}
