import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { build, CORE_FOLDER, configuration, Platform } from '../../resources/packaging/configuration.ts'
import { FuseState, FuseV1Options, getCurrentFuseWire, programOf } from '../../resources/packaging/fuses.ts'
import { payloadText } from '../support/painter.ts'
import { until } from '../support/served-service.ts'
import { electron, noElectron, openScreen, serviceOf, spawnOn, waitForNoProcesses } from './support.ts'

const ROOT = join(import.meta.dirname, '..', '..')
// Resolved from electron-builder, because @electron/asar is its dependency.
const asar = createRequire(
  createRequire(join(ROOT, 'resources', 'packaging', 'package.json')).resolve('electron-builder/package.json'),
)('@electron/asar')

beforeEach(({ skip }) => skip(noElectron !== undefined, noElectron))

describe('the package', () => {
  test('runs from a folder with spaces and without a Node, and checks for updates if it has a feed', async () => {
    if ('why' in electron) throw new Error(electron.why)
    const screen = await openScreen()
    const folder = join(screen.home, 'My programs')
    screen.mkdir(folder)
    onTestFinished(() => rmSync(CORE_FOLDER, { recursive: true, force: true }))
    const directories = { ...configuration().directories, output: folder }
    const config = { ...configuration(), electronDist: electron.folder, directories }
    await build({ targets: Platform.LINUX.createTarget('dir'), config, publish: 'never' })
    const unpacked = join(folder, 'linux-unpacked')
    // The permissions that a system package sets.
    chmodSync(join(unpacked, 'chrome-sandbox'), 0o4755)
    const resources = join(unpacked, 'resources')

    const files: readonly string[] = asar.listPackage(join(resources, 'app.asar'))
    expect(files).toEqual(expect.arrayContaining(['/package.json', '/out/shell/main.js', '/out/shell/preload.cjs']))
    expect(files.filter((path) => !/^\/(package\.json|out|out\/shell(\/[^/]+\.c?js)?)$/.test(path))).toEqual([])
    const app = { folder: unpacked, platform: 'linux', productName: 'Drydock', executableName: 'drydock-desktop' }
    const wire = await getCurrentFuseWire(programOf(app))
    expect(wire[FuseV1Options.RunAsNode]).toBe(FuseState.DISABLE)

    const data = join(screen.home, 'my data')
    const start = async () => {
      const child = spawnOn(screen, programOf(app), ['--data', data, '--port', '0'], { PATH: `${screen.home}/bin` })
      child.stdout.resume()
      await screen.waitForWindow('Endpoints · Drydock')
      return child
    }
    const first = await start()
    const { pid, client } = serviceOf(data)
    const [node] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    expect(node).toBe(join(resources, 'core', 'node_modules', 'node', 'bin', 'node'))
    expect((await client.call('endpointList')).endpoints).toMatchObject([{ id: 'sketch' }])
    const body = { input: { workflow: JSON.parse(payloadText({})) } }
    expect(await client.call('runsync', { path: { endpointId: 'sketch' }, body })).toMatchObject({
      status: 'COMPLETED',
      output: { images: [{ filename: expect.stringContaining('harbour') }] },
    })
    screen.takeScreenshot('package')
    first.kill('SIGTERM')
    await waitForNoProcesses(screen)
    const log = () => readFileSync(join(data, 'desktop.log'), 'utf8')
    expect(log()).not.toContain('checking for updates')

    writeFileSync(join(resources, 'app-update.yml'), 'provider: generic\nurl: http://127.0.0.1:9/\n')
    const second = await start()
    await until(() => expect(log()).toContain('checking for updates'))
    second.kill('SIGTERM')
    await waitForNoProcesses(screen)

    const version = execFileSync(join(resources, 'core', 'bin', 'drydock'), ['--version'], { encoding: 'utf8' })
    expect(version.trim()).toBe(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version)
  })
})
