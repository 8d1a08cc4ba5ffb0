import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readGit } from '../../src-main/features/apps/adapters/read-git.ts'

const IDENTITY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgsign=false']

function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-git-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const git = (...args: readonly string[]) =>
    execFileSync('git', [...IDENTITY, '-C', folder, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim()
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const begin = () => {
    git('init', '--initial-branch', 'main')
    write('app.py', 'a = 1\n')
    git('add', '-A')
    git('commit', '-m', 'Begin the app\n\nWith a body.')
  }
  return { folder, git, write, begin, read: (env = process.env, from = folder) => readGit(from, env) }
}

test('a folder says its commit, branch and message, and whether its files are as in the commit', async () => {
  const { git, write, begin, read } = setup()
  begin()
  const commit = git('rev-parse', 'HEAD')
  const clean = { commit, branch: 'main', message: 'Begin the app', clean: true }
  expect(await read()).toEqual(clean)
  write('new.py', '')
  expect(await read()).toEqual({ ...clean, clean: false })
  git('add', '-A')
  git('commit', '-m', 'Add \u001b[31mred')
  git('checkout', '--detach')
  expect(await read()).toEqual({ commit: git('rev-parse', 'HEAD'), message: 'Add  [31mred', clean: true })
})

test('of a project inside of a repository its own files count', async () => {
  const { folder, begin, write, read } = setup()
  begin()
  mkdirSync(join(folder, 'empty'))
  write('app.py', 'a = 2\n')
  expect(await read(process.env, join(folder, 'empty'))).toMatchObject({ clean: true })
  expect(await read()).toMatchObject({ clean: false })
})

test('reports nothing without a repository, without a commit, and without git', async () => {
  const { git, begin, read, folder } = setup()
  expect(await read({ ...process.env, GIT_DIR: join(folder, 'elsewhere') })).toBeUndefined()
  git('init')
  expect(await read()).toBeUndefined()
  begin()
  expect(await read({ PATH: '/nowhere' })).toBeUndefined()
})
