import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const WHO = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', '-c', 'commit.gpgsign=false']

export function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', [...WHO, '-C', folder, ...args], { encoding: 'utf8' }).trim()
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

/** Commits the files on the branch main; makes the repository if there is none. @returns the commit */
export function commitFiles(folder: string, files: Readonly<Record<string, string>>, tag?: string): string {
  mkdirSync(folder, { recursive: true })
  execFileSync('git', ['-c', 'init.defaultBranch=main', 'init', '--quiet', folder])
  writeFiles(folder, files)
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', tag ?? 'change')
  if (tag !== undefined) git(folder, 'tag', '--annotate', '--message', tag, tag)
  return git(folder, 'rev-parse', 'HEAD')
}

/** A package of nodes, as its repository has it. */
export const packageFiles = (classes: readonly string[], requirements: readonly string[] = []) => ({
  '__init__.py': `NODE_CLASS_MAPPINGS = {\n${classes.map((name) => `    "${name}": ${name},\n`).join('')}}\n`,
  'requirements.txt': `# of the package\n${requirements.join('\n')}\n`,
  'pyproject.toml': '[project]\nname = "x"\nversion = "1.0.0"\nrequires-python = ">=3.10"\nlicense = {text = "MIT"}\n',
})

/** Makes a repository like that of ComfyUI. @returns its folder */
export function comfyuiRepository(folder: string): string {
  const files = (version: string) => ({
    'pyproject.toml': `[project]\nname = "ComfyUI"\nversion = "${version}"\n`,
    'requirements.txt': 'torch\nnumpy>=1.25.0\n',
  })
  commitFiles(folder, files('0.3.40'), 'v0.3.40')
  commitFiles(folder, files('0.3.41'), 'v0.3.41')
  return folder
}
