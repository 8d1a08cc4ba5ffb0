import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from '../../../../src-main/app/cli/run-cli.ts'
import { surroundingsOf, temporaryFolder } from './support.ts'

const FILES = [
  '.env.example',
  '.gitignore',
  'AGENTS.md',
  'README.md',
  'class_worker.py',
  'cpu_worker.py',
  'lb_worker.py',
  'pipeline.py',
  'pyproject.toml',
  'stream_worker.py',
]

test('init NAME makes the folder of an app, named after it', async () => {
  const cwd = temporaryFolder()
  const { surroundings, written } = surroundingsOf(cwd)
  expect(await runCli(['init', 'my app'], surroundings)).toBe(0)
  expect(readdirSync(join(cwd, 'my app')).sort()).toEqual(FILES)
  expect(readFileSync(join(cwd, 'my app', 'pyproject.toml'), 'utf8')).toContain('name = "my-app"')
  expect(written.stdout).toContain('drydock deploy --preview')
})

test('init writes into this folder, and with --json says what', async () => {
  const cwd = temporaryFolder()
  const { surroundings, written } = surroundingsOf(cwd)
  expect(await runCli(['init', '--json'], surroundings)).toBe(0)
  const document = JSON.parse(written.stdout)
  expect({ ...document, files: document.files.sort() }).toEqual({ app: expect.any(String), folder: cwd, files: FILES })
})

test('files that exist are named and left alone, and nothing else is written', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'README.md'), 'mine')
  const { surroundings, written } = surroundingsOf(cwd)
  expect(await runCli(['init'], surroundings)).toBe(5)
  expect(written.stderr).toContain('README.md')
  expect(readdirSync(cwd)).toEqual(['README.md'])
  expect(await runCli(['init', '--force'], surroundings)).toBe(0)
  expect(readFileSync(join(cwd, 'README.md'), 'utf8')).not.toBe('mine')
})
