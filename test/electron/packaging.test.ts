import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { configuration } from '../../resources/packaging/configuration.ts'
import {
  FUSES,
  FuseState,
  FuseV1Options,
  getCurrentFuseWire,
  programOf,
  setFuses,
} from '../../resources/packaging/fuses.ts'
import { neededFolders, stageCore } from '../../resources/packaging/stage-core.ts'
import { temporaryFolder } from '../e2e/support-cli.ts'

const ROOT = join(import.meta.dirname, '..', '..')
// Resolved from electron-builder, because its schema is in one of its dependencies.
const require = createRequire(
  createRequire(join(ROOT, 'resources', 'packaging', 'package.json')).resolve('electron-builder/package.json'),
)
const SCHEMA = 'app-builder-lib/out/util/config/config.js'
const HERE = { platform: process.platform, arch: process.arch }

// Marks the fuses in Electron's binary; version, count and one character per fuse follow. Source: @electron/fuses.
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'

/** Writes a file that contains only fuses, all of them enabled. */
function program(fuses: number) {
  const app = {
    ...{ folder: temporaryFolder(), platform: 'linux' },
    ...{ productName: 'Drydock', executableName: 'drydock-desktop' },
  }
  const wire = [1, fuses, ...Array.from({ length: fuses }, () => '1'.charCodeAt(0))]
  writeFileSync(programOf(app), Buffer.concat([Buffer.alloc(5000), Buffer.from(SENTINEL), Buffer.from(wire)]))
  return app
}

describe('the unpacked files of a package', () => {
  test('run a service with workers on their own Node, through a symbolic link', () => {
    const folder = temporaryFolder()
    const core = join(folder, 'core')
    stageCore({ root: ROOT, to: core, target: HERE })
    const command = join(folder, 'drydock')
    symlinkSync(join(core, 'bin', 'drydock'), command)
    const run = (...argv: string[]) =>
      execFileSync(command, argv, { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: folder } })

    expect(run('--version').trim()).toBe(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version)
    const demo = run('demo')
    expect(demo.match(/^✗.*/gm)).toBeNull()
    expect(demo).toContain('✓')
    expect(run('init', 'mine')).toContain('mine')
    // Contains only the sources that TypeScript handlers import, and the database binary only for this platform.
    expect(readdirSync(join(core, 'src-main'))).toEqual(['contract', 'features', 'lib'])
    const ofFeatures = readdirSync(join(core, 'src-main', 'features'), { recursive: true, encoding: 'utf8' })
    expect(ofFeatures.filter((path) => /\.[jt]s$/.test(path) && !/^[^/]+\/rules[/.]/.test(path))).toEqual([])
    const node = join(core, 'node_modules', 'node', 'bin', 'node')
    for (const name of ['sketch', 'comfyui']) {
      const handler = JSON.stringify(join(core, 'resources', 'node', name, 'handler.js'))
      const script = `import { handler } from ${handler}; console.log(typeof handler)`
      expect(execFileSync(node, ['--input-type=module', '-e', script], { encoding: 'utf8' })).toBe('function\n')
    }
    expect(readdirSync(join(core, 'node_modules', 'better-sqlite3', 'prebuilds'))).toEqual([
      `${process.platform}-${process.arch}.node`,
    ])
    expect(existsSync(join(core, 'out', 'renderer', 'index.html'))).toBe(true)
  })

  test('cannot be built for another platform, whose Node is not installed', () => {
    const target = { platform: process.platform === 'win32' ? 'linux' : 'win32', arch: 'x64' }
    expect(() => stageCore({ root: ROOT, to: join(temporaryFolder(), 'core'), target })).toThrow('on such a machine')
  })

  test('name the command that builds a missing part', () => {
    const place = { root: ROOT, to: join(temporaryFolder(), 'core'), built: temporaryFolder(), target: HERE }
    expect(() => stageCore(place)).toThrow('npm run build:desktop')
  })
})

test('packages resolve as in Node, each once', () => {
  const packages = {
    'node_modules/a': { dependencies: { b: '1', c: '1' } },
    'node_modules/b': { dependencies: { a: '1' } },
    'node_modules/b/node_modules/c': {},
    'node_modules/a/node_modules/b': { dependencies: { c: '1' } },
    'node_modules/c': {},
    'node_modules/other': {},
  }
  expect(neededFolders(packages, ['a'])).toEqual(['node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/c'])
  expect(neededFolders(packages, ['b'])).toContain('node_modules/b')
  expect(() => neededFolders(packages, ['missing'])).toThrow('no package missing')
})

describe('the configuration of electron-builder', () => {
  test('is valid by its own schema, which rejects unknown options', async () => {
    const { validateConfiguration } = require(SCHEMA)
    const debug = { add: () => undefined, isEnabled: false }
    await expect(validateConfiguration(configuration(), debug)).resolves.toBeUndefined()
    await expect(validateConfiguration(configuration('https://example.com/feed'), debug)).resolves.toBeUndefined()
    await expect(validateConfiguration({ ...configuration(), asr: true }, debug)).rejects.toThrow(/asr/)
  })

  test('names existing files', () => {
    const { extraResources, mac, win, linux, deb } = configuration()
    const icons = extraResources.at(-1)?.from ?? ''
    const files = [mac.icon, win.icon, linux.icon, icons].map((file) => join(ROOT, file))
    expect([...files, deb.fpm[0]?.split('=')[0] ?? ''].filter((file) => !existsSync(file))).toEqual([])
  })

  test('targets three platforms, with an archive and a link scheme', () => {
    const { linux, mac, win, asar, protocols, files, publish } = configuration()
    expect([linux.target, mac.target, win.target]).toEqual([['AppImage', 'deb'], ['dmg', 'zip'], ['nsis']])
    expect({ asar, protocols, publish }).toEqual({
      asar: true,
      protocols: [{ name: 'Drydock', schemes: ['drydock'] }],
      publish: null,
    })
    expect(files).toContain('!node_modules')
  })
})

test('one file finds the root by its own path, and is as deep as the built files', () => {
  const leadsOut = /import\.meta\.(?:url|dirname)[^)\n]*\.\.|\.\.[^)\n]*import\.meta\.(?:url|dirname)/
  const files = globSync('src-main/*/**/*.ts', { cwd: ROOT })
  const found = files.filter((path) => leadsOut.test(readFileSync(join(ROOT, path), 'utf8')))
  expect(found).toEqual(['src-main/shipped-files/root.ts'])
})

describe('the fuses of the binary', () => {
  test('are set to the configured values', async () => {
    const app = program(Object.keys(FUSES).length)
    await setFuses(app)
    const wire = await getCurrentFuseWire(programOf(app))
    const found = Object.keys(FUSES).map((fuse) => wire[Number(fuse) as FuseV1Options] === FuseState.ENABLE)
    expect(found).toEqual(Object.values(FUSES))
  })

  test('disable every way to run other code in the binary', () => {
    expect(FUSES).toMatchObject({
      [FuseV1Options.RunAsNode]: false,
      [FuseV1Options.EnableCookieEncryption]: true,
      [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
      [FuseV1Options.EnableNodeCliInspectArguments]: false,
      [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
      [FuseV1Options.OnlyLoadAppFromAsar]: true,
      [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
    })
    // A fuse that a later version of the library adds needs a decision.
    expect(Object.keys(FUSES).length).toBe(Object.values(FuseV1Options).filter(Number.isInteger).length)
  })

  test('that an older Electron lacks are skipped', async () => {
    const app = program(Object.keys(FUSES).length - 1)
    await setFuses(app)
    const wire = await getCurrentFuseWire(programOf(app))
    expect(wire[FuseV1Options.OnlyLoadAppFromAsar]).toBe(FuseState.ENABLE)
    expect(wire[FuseV1Options.RunAsNode]).toBe(FuseState.DISABLE)
  })

  test('without a configured value make packaging fail', async () => {
    await expect(setFuses(program(Object.keys(FUSES).length + 1))).rejects.toThrow(
      'does not decide: number 9 of its wire',
    )
  })

  test('are in the binary that each platform uses', () => {
    const app = { folder: '/out', productName: 'Drydock', executableName: 'drydock-desktop' }
    const places = ['linux', 'darwin', 'win32'].map((platform) => programOf({ ...app, platform }))
    expect(places).toEqual(['/out/drydock-desktop', '/out/Drydock.app', '/out/Drydock.exe'])
  })
})
