import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { entryOf, type LockFile, missingPackages, PACKAGES } from './lock-file.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const readJson = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'))

describe.each(PACKAGES)('the lock file of %s', (folder) => {
  const manifest = readJson(join(folder, 'package.json'))
  const lock: LockFile = readJson(join(folder, 'package-lock.json'))

  test('names the packages of every platform; if not, run `node test/architecture/complete-lock-file.ts`', () => {
    expect(missingPackages(lock).filter((missing) => entryOf(missing) !== undefined)).toEqual([])
  })

  test('matches its package.json and names no registry', () => {
    for (const field of ['dependencies', 'devDependencies', 'optionalDependencies'] as const)
      expect(lock.packages[''][field]).toEqual(manifest[field])
    expect(Object.entries(lock.packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })

  test('allows or refuses each install script by name', () => {
    const withScript = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript)
    const names = withScript.map(([path]) => path.replace(/^.*node_modules\//, ''))
    expect(names.filter((name) => typeof manifest.allowScripts?.[name] !== 'boolean')).toEqual([])
  })
})

test('planted: a missing package is found wherever Node would not look for it', () => {
  const lock: LockFile = {
    packages: {
      '': {},
      'node_modules/a': { optionalDependencies: { '@a/linux-x64-musl': '1.2.3', '@a/here': '1.0.0' } },
      'node_modules/@a/here': { version: '1.0.0' },
      'node_modules/a/node_modules/b': { optionalDependencies: { 'c-win32-arm64': '2.0.0', d: '1.0.0' } },
      'node_modules/a/node_modules/d': { version: '1.0.0' },
      'node_modules/x/node_modules/c-win32-arm64': { version: '2.0.0' },
    },
  }
  const missing = missingPackages(lock)
  expect(missing).toEqual([
    { name: '@a/linux-x64-musl', version: '1.2.3', neededBy: 'node_modules/a' },
    { name: 'c-win32-arm64', version: '2.0.0', neededBy: 'node_modules/a/node_modules/b' },
  ])
  expect(missing.map(entryOf)).toEqual([
    { version: '1.2.3', cpu: ['x64'], dev: true, libc: ['musl'], optional: true, os: ['linux'] },
    { version: '2.0.0', cpu: ['arm64'], dev: true, optional: true, os: ['win32'] },
  ])
})
