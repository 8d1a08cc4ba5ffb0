/** Locks of small workflows whose sources are git repositories of the test. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LOCK_SCHEMA, workflowLock } from '../../src-main/contract/worker-images.ts'

export const PYTHON_IMAGE = 'python:3.11-slim-bookworm'

/** Commits the files to a repository, which begins with them. */
export function commitFiles(repository: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repository, path)), { recursive: true })
    writeFileSync(join(repository, path), text)
  }
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', repository, ...identity, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim()
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--allow-empty', '--message', 'Change')
  return git('rev-parse', 'HEAD')
}

export const sha256Of = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')

const INSTALL = "import pathlib, time\npathlib.Path('installed.txt').write_text('by install.py')\n"

/** A lock with ComfyUI and two packages of custom nodes, in repositories below the folder. */
export function makeLock(folder: string, change: Readonly<Record<string, unknown>> = {}) {
  const repository = (name: string, files: Readonly<Record<string, string>>) => ({
    repository: name,
    commit: commitFiles(join(folder, name), files),
  })
  const comfyui = repository('comfyui', { 'main.py': 'print("ComfyUI")\n', 'nodes/core.py': 'VALUES = {1, 2, 3}\n' })
  const clouds = repository('clouds', { '__init__.py': 'NODE_CLASS_MAPPINGS = {}\n', 'install.py': INSTALL })
  const rain = repository('rain', { '__init__.py': 'NODE_CLASS_MAPPINGS = {}\n', 'bin/run.sh': '#!/bin/sh\n' })
  return workflowLock.parse({
    schema: LOCK_SCHEMA,
    comfyui: { ...comfyui, version: '0.3.60' },
    base: { image: PYTHON_IMAGE, python: '3.11' },
    nodes: [
      { name: 'clouds', source: clouds },
      { name: 'rain', source: rain },
    ],
    ...change,
  })
}
