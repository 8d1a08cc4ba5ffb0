import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { build, CORE_FOLDER, configuration, Platform } from '../../resources/packaging/configuration.ts'
import {
  FUSES,
  FuseState,
  FuseV1Options,
  getCurrentFuseWire,
  programOf,
  setFuses,
} from '../../resources/packaging/fuses.ts'
import { neededFolders } from '../../resources/packaging/production-packages.ts'
import { stageCore } from '../../resources/packaging/stage-core.ts'
import { packagePaths } from '../../src-main/electron/package-paths.ts'
import { temporaryFolder } from '../e2e/support-cli.ts'
import { started } from './main-process.ts'
import { until } from './support.ts'

const ROOT = join(import.meta.dirname, '..', '..')
// Libraries of electron-builder, found as it finds them: its schema, and what reads its archives.
const require = createRequire(
  createRequire(join(ROOT, 'resources', 'packaging', 'package.json')).resolve('electron-builder/package.json'),
)
const SCHEMA = 'app-builder-lib/out/util/config/config.js'
const ASAR = '@electron/asar'
const HERE = { platform: process.platform, arch: process.arch }

// What marks the fuses in Electron's program, then version, number, and one letter for each. Source: @electron/fuses.
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'

/** A file that has fuses, all of them on, and nothing else of Electron. */
function program(fuses: number, folder = temporaryFolder(), executableName = 'drydock-desktop') {
  const app = { folder, platform: 'linux', productName: 'Drydock', executableName }
  const wire = [1, fuses, ...Array.from({ length: fuses }, () => '1'.charCodeAt(0))]
  writeFileSync(programOf(app), Buffer.concat([Buffer.alloc(5000), Buffer.from(SENTINEL), Buffer.from(wire)]))
  return { ...app, executableName: 'drydock-desktop' }
}

/** What electron-builder looks for in an unpacked Electron. */
function standInDist(folder: string) {
  mkdirSync(join(folder, 'locales'), { recursive: true })
  for (const name of ['version', 'LICENSE', 'LICENSES.chromium.html', 'chrome-sandbox', 'locales/en-US.pak'])
    writeFileSync(join(folder, name), '45')
  return program(Object.keys(FUSES).length, folder, 'electron')
}

describe('what a package holds beside the archive', () => {
  test('runs a service with workers by itself, on its own Node, through a link', () => {
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
    // Of the sources what handlers in TypeScript import and no more, and of the database library the program for this
    // machine alone.
    expect(readdirSync(join(core, 'src-main'))).toEqual(['contract', 'domain'])
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

  test('is not made for another kind of machine, whose Node is not here', () => {
    const target = { platform: process.platform === 'win32' ? 'linux' : 'win32', arch: 'x64' }
    expect(() => stageCore({ root: ROOT, to: join(temporaryFolder(), 'core'), target })).toThrow('on such a machine')
  })

  test('says what makes a part that is missing', () => {
    const place = { root: ROOT, to: join(temporaryFolder(), 'core'), built: temporaryFolder(), target: HERE }
    expect(() => stageCore(place)).toThrow('npm run build:desktop')
  })
})

describe('the package that electron-builder makes', () => {
  test('around a stand-in for Electron has the archive, the core, the icons and the fuses', async ({ skip }) => {
    skip(process.platform !== 'linux', 'the stand-in has the layout of Linux')
    const folder = temporaryFolder()
    const electronDist = join(folder, 'electron')
    const app = standInDist(electronDist)
    const output = join(folder, 'dist')
    const config = { ...configuration(), electronDist, directories: { ...configuration().directories, output } }
    onTestFinished(() => rmSync(CORE_FOLDER, { recursive: true, force: true }))
    await build({ targets: Platform.LINUX.createTarget('dir'), config, publish: 'never' })

    const unpacked = join(folder, 'dist', 'linux-unpacked')
    const resources = join(unpacked, 'resources')
    const archive = require(ASAR).listPackage(join(resources, 'app.asar')) as readonly string[]
    expect(archive).toEqual(expect.arrayContaining(['/package.json', '/out/shell/main.js', '/out/shell/preload.cjs']))
    expect(archive.filter((path) => !/^\/(package\.json|out|out\/shell(\/[^/]+\.c?js)?)$/.test(path))).toEqual([])
    expect(existsSync(join(resources, 'icons', '256x256.png'))).toBe(true)
    const wire = await getCurrentFuseWire(programOf({ ...app, folder: unpacked }))
    expect(wire[FuseV1Options.RunAsNode]).toBe(FuseState.DISABLE)

    const { main, type } = JSON.parse(require(ASAR).extractFile(join(resources, 'app.asar'), 'package.json'))
    expect({ main, type }).toEqual({ main: 'out/shell/main.js', type: 'module' })
    const at = packagePaths({ here: join(resources, 'app.asar', 'out', 'shell'), packagedTo: resources })
    const files = [at.icon, at.trayIcon, at.commandLine.program, ...at.commandLine.args]
    expect(files.filter((file) => !existsSync(file))).toEqual([])
    // The main process out of the archive runs the service out of the core, and has a feed for updates.
    require(ASAR).extractAll(join(resources, 'app.asar'), join(folder, 'app'))
    writeFileSync(join(resources, 'app-update.yml'), 'provider: generic\nurl: http://127.0.0.1:9/\n')
    const { reached, child, ended, data } = started({
      main: join(folder, 'app', 'out', 'shell', 'main.js'),
      env: { FAKE_RESOURCES: resources, APPIMAGE: join(folder, 'Drydock.AppImage') },
    })
    expect(await reached('loaded')).toMatchObject({ type: 'text/html; charset=utf-8', signedIn: true })
    const { pid } = JSON.parse(readFileSync(join(data, 'service.json'), 'utf8'))
    const [program = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    expect(program).toBe(at.commandLine.program)
    await until(() => expect(readFileSync(join(data, 'desktop.log'), 'utf8')).toContain('updates are looked for'))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)

    const version = execFileSync(join(resources, 'core', 'bin', 'drydock'), ['--version'], { encoding: 'utf8' })
    expect(version.trim()).toBe(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version)
  })
})

test('packages are found as Node finds them, each once', () => {
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
  test('is one by its own schema, which finds what is none', async () => {
    const { validateConfiguration } = require(SCHEMA)
    const debug = { add: () => undefined, isEnabled: false }
    await expect(validateConfiguration(configuration(), debug)).resolves.toBeUndefined()
    await expect(validateConfiguration(configuration('https://example.com/feed'), debug)).resolves.toBeUndefined()
    await expect(validateConfiguration({ ...configuration(), asr: true }, debug)).rejects.toThrow(/asr/)
  })

  test('names files that are there', () => {
    const { extraResources, mac, win, linux, deb } = configuration()
    const icons = extraResources.at(-1)?.from ?? ''
    const files = [mac.icon, win.icon, linux.icon, icons].map((file) => join(ROOT, file))
    expect([...files, deb.fpm[0]?.split('=')[0] ?? ''].filter((file) => !existsSync(file))).toEqual([])
  })

  test('makes packages for three systems, with an archive and links of its own', () => {
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

test('files that know where they are lie as deep as the built ones, so that both find the same', () => {
  const deeper = globSync('src-main/*/**/*.ts', { cwd: ROOT }).filter(
    (path) =>
      path.split('/').length !== 3 && /import\.meta\.(url|dirname)/.test(readFileSync(join(ROOT, path), 'utf8')),
  )
  expect(deeper).toEqual([])
})

describe('the fuses of the program', () => {
  test('are set as decided', async () => {
    const app = program(Object.keys(FUSES).length)
    await setFuses(app)
    const wire = await getCurrentFuseWire(programOf(app))
    const found = Object.keys(FUSES).map((fuse) => wire[Number(fuse) as FuseV1Options] === FuseState.ENABLE)
    expect(found).toEqual(Object.values(FUSES))
  })

  test('allow nothing that turns the program into another one', () => {
    expect(FUSES).toMatchObject({
      [FuseV1Options.RunAsNode]: false,
      [FuseV1Options.EnableCookieEncryption]: true,
      [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
      [FuseV1Options.EnableNodeCliInspectArguments]: false,
      [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
      [FuseV1Options.OnlyLoadAppFromAsar]: true,
      [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
    })
    // One that a later version of the library knows has to be decided.
    expect(Object.keys(FUSES).length).toBe(Object.values(FuseV1Options).filter(Number.isInteger).length)
  })

  test('that an older Electron lacks are left out', async () => {
    const app = program(Object.keys(FUSES).length - 1)
    await setFuses(app)
    const wire = await getCurrentFuseWire(programOf(app))
    expect(wire[FuseV1Options.OnlyLoadAppFromAsar]).toBe(FuseState.ENABLE)
    expect(wire[FuseV1Options.RunAsNode]).toBe(FuseState.DISABLE)
  })

  test('that nobody has decided on make the packaging fail', async () => {
    await expect(setFuses(program(Object.keys(FUSES).length + 1))).rejects.toThrow(
      'does not decide: number 9 of its wire',
    )
  })

  test('are looked for where each system has its program', () => {
    const app = { folder: '/out', productName: 'Drydock', executableName: 'drydock-desktop' }
    const places = ['linux', 'darwin', 'win32'].map((platform) => programOf({ ...app, platform }))
    expect(places).toEqual(['/out/drydock-desktop', '/out/Drydock.app', '/out/Drydock.exe'])
  })
})
