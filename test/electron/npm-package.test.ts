import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { olderNode, serve, startCommand, temporaryFolder } from '../e2e/support-cli.ts'
import { makeVenv } from '../support/python-venv.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

const prefix = mkdtempSync(join(tmpdir(), 'drydock-prefix-'))
afterAll(() => rmSync(prefix, { recursive: true, force: true }))
const installed = join(prefix, 'lib', 'node_modules', 'drydock')
const launcher = join(installed, 'src-main', 'app', 'cli', 'drydock.mjs')
const quiet = ['--no-audit', '--no-fund', '--loglevel=error']

beforeAll(() => {
  execFileSync('npm', ['run', 'package:npm', '--silent', '--', prefix], { cwd: ROOT, stdio: 'pipe' })
  const archive = join(prefix, `drydock-${version}.tgz`)
  execFileSync('npm', ['install', '--global', '--prefix', prefix, '--prefer-offline', archive, ...quiet], {
    cwd: prefix,
    stdio: 'pipe',
  })
})

/** Runs a command of the installed package with a separate home and the oldest Node on this machine. */
function run(folder: string, ...argv: string[]) {
  return startCommand(argv, { cwd: folder, env: { HOME: folder }, node: olderNode(), launcher }).ended
}

describe('the npm package, installed into a clean prefix', () => {
  test('has the command, and no TypeScript sources, which Node cannot run below node_modules', () => {
    expect(execFileSync(join(prefix, 'bin', 'drydock'), ['--version'], { encoding: 'utf8' }).trim()).toBe(version)
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    const own = files.filter((file) => !file.startsWith('node_modules'))
    expect(own.filter((file) => /(?<!\.d)\.ts$|__pycache__|\.test\./.test(file))).toEqual([])
    expect(files).toContain(join('out', 'renderer', 'index.html'))
    // npm does not install packages that are needed only for building.
    expect(files).not.toContain(join('node_modules', 'vite', 'package.json'))
  })

  test('runs the demo, and creates and builds an app from the template', async () => {
    const folder = temporaryFolder()
    const demo = await run(folder, 'demo')
    expect(demo.stdout).toContain('All 9 steps were right')
    expect(demo.exitCode).toBe(0)
    expect((await run(folder, 'init', 'mine')).exitCode).toBe(0)
    const built = await run(join(folder, 'mine'), 'build')
    expect([built.exitCode, built.stderr]).toEqual([0, expect.anything()])
  })

  test('serves pages, a TypeScript handler, and a wheel that pip can install', async () => {
    const folder = temporaryFolder()
    const { ready } = await serve(folder, olderNode(), launcher)
    const page = await fetch(ready.url)
    expect(await page.text()).toContain('<div id="root"')
    const key = readFileSync(ready.keyFile, 'utf8').trim()
    const client = ['--url', ready.url, '--key', key]
    const drydock = (...argv: string[]) => run(folder, ...argv, ...client)

    writeFileSync(
      join(folder, 'double.ts'),
      'export const handler = (job: { input: { n: number } }) => job.input.n * 2\n',
    )
    expect((await drydock('endpoint', 'create', 'double', '--handler', 'double.ts')).exitCode).toBe(0)
    expect(JSON.parse((await drydock('runsync', 'double', '{"n": 21}', '--json')).stdout)).toMatchObject({ output: 42 })

    const python = join(folder, 'venv', 'bin', 'python')
    await makeVenv(join(folder, 'venv'))
    const index = ['--isolated', '--no-cache-dir', '--disable-pip-version-check', '--index-url', `${ready.url}/simple/`]
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', ...index, 'svc'])
    mkdirSync(join(folder, 'elsewhere'))
    const script = `import svc, runpod_flash; print(svc.__version__, runpod_flash.Endpoint is not None, svc.__file__)`
    const printed = execFileSync(python, ['-c', script], { cwd: join(folder, 'elsewhere'), encoding: 'utf8' })
    expect(printed).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')} True ${join(folder, 'venv')}`))
  })
})
