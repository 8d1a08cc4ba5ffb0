import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createGitSources } from '../../../../src-main/features/worker-images/adapters/git-source.ts'
import { createNodeReader } from '../../../../src-main/features/worker-images/adapters/read-node-package.ts'
import { readSource } from '../../../../src-main/features/worker-images/rules/source-address.ts'
import { PYTHON_PACKAGES } from '../../../../src-main/shipped-files/root.ts'
import { temporaryFolder } from '../../app/cli/support.ts'
import { commitFiles, git, packageFiles, writeFiles } from './git-folders.ts'

const { env } = process
const sources = createGitSources(env, createNodeReader({ packages: PYTHON_PACKAGES, env }))

describe('a repository', () => {
  test('tells the commit of a tag, a branch, the default branch and a shortened commit', async () => {
    const folder = join(temporaryFolder(), 'ink')
    const first = commitFiles(folder, packageFiles(['Ink']), 'v1')
    const second = commitFiles(folder, packageFiles(['Ink', 'Brush']))
    git(folder, 'branch', 'feature/v1', first)
    const commits = await Promise.all(
      ['v1', 'main', undefined, second.slice(0, 8), first].map((ref) => sources.commitOf(folder, ref)),
    )
    expect(commits).toEqual([first, second, second, second, first])
    await expect(sources.commitOf(folder, 'v2')).rejects.toThrow('it has no branch or tag v2')
    await expect(sources.commitOf(join(folder, 'none'), 'v2')).rejects.toThrow(/none/)
  })

  test('tells what the package of a commit says of itself, without running it', async () => {
    const folder = join(temporaryFolder(), 'ink')
    const first = commitFiles(folder, packageFiles(['Ink'], ['numpy>=1.26', 'pillow']))
    commitFiles(folder, packageFiles(['Other']))
    expect(await sources.read(folder, first)).toMatchObject({
      ...{ classes: ['Ink'], requirements: ['numpy>=1.26', 'pillow'], python: '>=3.10', licence: 'MIT' },
    })
  })

  test('tells what only its code, its included files and its project say', async () => {
    const folder = join(temporaryFolder(), 'ink')
    const mark = join(folder, 'mark')
    const commit = commitFiles(folder, {
      '.gitattributes': '*.py filter=evil\n',
      '__init__.py': 'from .nodes import NAMES\nNODE_CLASS_MAPPINGS = {f"Ink {name}": object for name in NAMES}\n',
      'nodes.py': 'NAMES = ["Pen", "Brush"]\n',
      'requirements.txt': '-r more/base.txt\n',
      'more/base.txt': 'numpy>=1.26\n',
      'pyproject.toml':
        '[project]\nname = "ink"\nversion = "1.2"\nlicense = {file = "LICENSE"}\n[tool.comfy]\nrequires-comfyui = ">=0.3.50"\n',
      LICENSE: 'Attribution-NonCommercial 4.0 International\n',
    })
    git(folder, 'config', 'filter.evil.smudge', `sh -c 'touch ${mark}; cat'`)
    const facts = {
      classes: ['Ink Brush', 'Ink Pen'],
      requirements: ['numpy>=1.26'],
      comfyui: '>=0.3.50',
      licence: 'CC-BY-NC-4.0',
      version: '1.2',
    }
    expect(await sources.read(folder, commit)).toEqual(facts)
    expect(existsSync(mark)).toBe(false)
    expect(await sources.readFolder(folder)).toMatchObject(facts)
  })

  test.each([
    ['an option', '--upload-pack=touch MARK'],
    ['another transport', 'ext::sh -c touch% MARK'],
    ['a transport that may start a program', 'fd::17'],
  ])('is never read through %s', async (_name, hostile) => {
    const folder = temporaryFolder()
    const mark = join(folder, 'mark')
    const address = hostile.replace('MARK', mark)
    expect(readSource(address, () => false)).toBeUndefined()
    await expect(sources.commitOf(address, undefined)).rejects.toThrow()
    await expect(sources.read(address, 'a'.repeat(40))).rejects.toThrow()
    await expect(sources.commitOf(folder, '--upload-pack=x')).rejects.toThrow('is not a branch')
    expect(existsSync(mark)).toBe(false)
  })
})

describe('a folder', () => {
  test('has a hash that only its own files change', async () => {
    const folder = temporaryFolder()
    writeFiles(folder, { ...packageFiles(['Ink']), 'more/pencil.py': '' })
    const { sha256, classes } = await sources.readFolder(folder)
    expect(classes).toEqual(['Ink'])
    writeFiles(folder, { '__pycache__/x.pyc': 'x', '.git/HEAD': 'x' })
    expect((await sources.readFolder(folder)).sha256).toBe(sha256)
    writeFiles(folder, { 'more/pencil.py': 'PENCIL = 1\n' })
    expect((await sources.readFolder(folder)).sha256).not.toBe(sha256)
    await expect(sources.readFolder(join(folder, 'none'))).rejects.toThrow('there is no such folder')
  })
})

describe('a source', () => {
  const read = (text: string, folders: readonly string[] = []) => readSource(text, (path) => folders.includes(path))
  test.each([
    ['registry:ink@1.2.0', { registry: 'ink', version: '1.2.0' }],
    ['registry:ink', { registry: 'ink' }],
    ['https://github.com/ann/ink', { repository: 'https://github.com/ann/ink' }],
    ['https://github.com/ann/ink@feature/x', { repository: 'https://github.com/ann/ink', ref: 'feature/x' }],
    ['git@github.com:ann/ink.git@v1', { repository: 'git@github.com:ann/ink.git', ref: 'v1' }],
    ['ssh://git@host.example:22/ann/ink@v1', { repository: 'ssh://git@host.example:22/ann/ink', ref: 'v1' }],
    ['./ink', { path: './ink' }],
    ['./i@nk', { path: './i@nk' }],
    ['./ink@main', { repository: './ink', ref: 'main' }],
  ])('is read: %s', (text, source) => {
    expect(read(text, ['./ink', './i@nk'])).toEqual(source)
  })

  test.each([
    'registry:../x',
    'registry:ink@latest;rm',
    'http://github.com/ann/ink',
    'git://github.com/ann/ink',
    'file:///etc',
    'https://ann:secret@github.com/ann/ink',
    'https://github.com/ann/ink@--upload-pack=x',
    'https://github.com/ann/ink@a..b',
    '-x',
    './none',
    './ink@-x',
  ])('is refused: %s', (text) => {
    expect(read(text, ['./ink'])).toBeUndefined()
  })
})
