import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const CLI = join(import.meta.dirname, '..', '..', 'src-main', 'app', 'cli')

// Path of the pinned Node on Linux and macOS.
const PINNED_NODE = `resources/pinned-node/node_modules/${
  `${process.platform}-${process.arch}` === 'darwin-arm64' ? 'node-bin' : 'node'
}-${process.platform}-${process.arch}/bin/node`

// Stands in for npm: logs its folder and arguments, and creates the files that set-up looks for. FAKE_NPM selects a
// failure.
const FAKE_NPM = `
const fs = require('node:fs')
const root = require('node:path').dirname(__dirname)
const place = require('node:path').relative(root, process.cwd()) || '.'
process.chdir(root)
if (process.env.FAKE_NPM === 'deaf') for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})
fs.appendFileSync('npm-calls.log', place + ': ' + process.argv.slice(2).join(' ') + '\\n')
process.stdout.on('error', () => {}) // Its starter may be killed.
console.log('npm says something')
if (process.env.FAKE_NPM === 'fail') { console.error('npm error no network'); process.exit(7) }
const finish = () => {
  fs.mkdirSync(place + '/node_modules', { recursive: true })
  if (place !== 'resources/pinned-node' || process.env.FAKE_NPM === 'no-node') return
  const node = '${PINNED_NODE}'
  fs.mkdirSync(require('node:path').dirname(node), { recursive: true })
  if (!fs.existsSync(node)) fs.symlinkSync(process.execPath, node)
}
if (['until-told', 'deaf'].includes(process.env.FAKE_NPM)) {
  const wait = setInterval(() => { if (fs.existsSync('go-on')) { clearInterval(wait); finish() } }, 5)
} else finish()
`

/** How a program ended, and what it printed. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A clean clone in a folder of its own, with a stand-in for npm and for main.ts. */
export class Clone {
  /** Path of the pinned Node in the clone. */
  static readonly pinnedNode = PINNED_NODE
  readonly root = mkdtempSync(join(tmpdir(), 'drydock-clone-'))

  constructor(main = '') {
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true }))
    mkdirSync(join(this.root, 'src-main/app/cli'), { recursive: true })
    for (const name of [
      'set-up.mjs',
      'steps.mjs',
      'build.mjs',
      'allocator.mjs',
      'arguments.mjs',
      'drydock.mjs',
      'start.mjs',
    ])
      cpSync(join(CLI, name), join(this.root, 'src-main/app/cli', name))
    this.write('src-main/app/cli/main.ts', main)
    this.write('package.json', JSON.stringify({ type: 'module', dependencies: { a: '1.0.0' } }))
    this.writeLockFile('1.0.0')
    for (const folder of ['test', 'resources/pinned-node']) {
      this.write(`${folder}/package.json`, JSON.stringify({ dependencies: { b: '1.0.0' } }))
      this.write(`${folder}/package-lock.json`, JSON.stringify({ packages: { '': { dependencies: { b: '1.0.0' } } } }))
    }
    this.write('fake/npm-cli.js', FAKE_NPM)
    this.write('fake/package.json', '{ "type": "commonjs" }')
  }

  write(path: string, text: string): void {
    mkdirSync(join(this.root, path, '..'), { recursive: true })
    writeFileSync(join(this.root, path), text)
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8')
  }

  writeLockFile(version: string, path = 'package-lock.json'): void {
    const tools = { 'node_modules/tool': { version: '1.0.0', dev: true } }
    const packages = { '': { dependencies: { a: '1.0.0' } }, 'node_modules/a': { version }, ...tools }
    this.write(path, JSON.stringify({ packages }))
  }

  /** Writes what `npm ci` leaves: the packages and npm's record of them. */
  installByHand(version: string): void {
    for (const name of ['a', 'tool']) this.write(`node_modules/${name}/package.json`, '{}')
    this.writeLockFile(version, 'node_modules/.package-lock.json')
  }

  npmCalls(): string[] {
    try {
      return this.read('npm-calls.log').trimEnd().split('\n')
    } catch {
      return []
    }
  }

  /** Makes set-up and launcher believe that their Node is too old, so that they use the pinned one. */
  pretendNodeIsTooOld(): void {
    const path = 'src-main/app/cli/set-up.mjs'
    this.write(path, this.read(path).replace(/IS_NEW_ENOUGH = .*/, 'IS_NEW_ENOUGH = false'))
  }

  start(script: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): ChildProcess {
    return spawn(process.execPath, [join(this.root, script), ...args], {
      cwd: tmpdir(),
      env: { npm_execpath: join(this.root, 'fake/npm-cli.js'), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  setUp(env: NodeJS.ProcessEnv = {}, args: readonly string[] = []): Promise<Ended> {
    return ended(this.start('src-main/app/cli/set-up.mjs', args, env))
  }
}

/** Waits for a program's end. */
export function ended(child: ChildProcess): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (text) => {
    stdout += text
  })
  child.stderr?.on('data', (text) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
}

/** Waits until a program has printed the text. */
export function printed(child: ChildProcess, stream: 'stdout' | 'stderr', text: string): Promise<void> {
  let all = ''
  return new Promise((resolve, reject) => {
    child[stream]?.on('data', (chunk) => {
      all += chunk
      if (all.includes(text)) resolve()
    })
    child.once('close', () => reject(new Error(`ended before it printed "${text}"; it printed "${all}"`)))
  })
}
