/**
 * Installs the dependencies of this clone when they are missing or older than the lock file asks for, and with
 * `--build` builds web pages and program when they are missing or of other sources.
 *
 * It is the step before every npm script, and the launcher calls it too. It has no dependencies and no TypeScript,
 * because it must run on whatever Node a machine has before the pinned one is there. It writes to stderr only:
 * the stdout of the launcher belongs to the command.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The Node release line the project runs on; the exact release is pinned by the package `node` in package.json. */
export const PINNED_NODE_MAJOR = 24

/** The root of this clone or package, links resolved: the launcher is often started through a link in a bin folder. */
export const ROOT = dirname(dirname(dirname(realpathSync(fileURLToPath(import.meta.url)))))

/** False in an installed package, which holds no sources; npm has installed all that it needs. */
export const IS_CLONE = existsSync(join(ROOT, 'src-main', 'cli', 'main.ts'))

/** The pinned Node. In a clone the install script of the package `node` puts it there. */
export const PINNED_NODE = join(IS_CLONE ? join(ROOT, 'node_modules', 'node') : packageOfNode(), 'bin', programName())

function programName() {
  return process.platform === 'win32' ? 'node.exe' : 'node'
}

// A package gets the Node of its machine as an optional dependency: that needs no install script, which npm may refuse.
function packageOfNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform
  const name = `${system === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${system}-${process.arch}`
  try {
    return dirname(createRequire(join(ROOT, 'package.json')).resolve(`${name}/package.json`))
  } catch {
    return join(ROOT, 'node_modules', name) // left out or not made for this machine: the start says so
  }
}

const MODULES = join(ROOT, 'node_modules')
const LOCK_FILE = join(ROOT, 'package-lock.json')
// npm leaves entries of node_modules alone whose names start with a dot.
const OWN_FOLDER = join(MODULES, '.drydock')
const STAMP = join(OWN_FOLDER, 'installed')
const LOCK_FOLDER = join(OWN_FOLDER, 'set-up-runs')
const LOCK_OWNER = join(LOCK_FOLDER, 'pid')

const DEPENDENCY_FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides', 'allowScripts']

// `npm install --no-save` and not `npm ci`: `ci` deletes node_modules first, under the feet of a service that may be
// running from this clone, and newer releases of npm refuse a lock file that lacks the packages of other platforms.
// With a lock file both install the same versions and check the same hashes; `--no-save` leaves the lock file as it is.
// `--include=dev`: the pinned Node is a development dependency, and NODE_ENV=production would leave it out.
const INSTALL = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']

// Time between two looks at another set-up's lock, in ms. Source: ours; an install takes 10 s or more.
const LOCK_POLL_MS = 100
// A lock folder without its owner's number is left over from a crash when it is older than this, in ms.
const LOCK_WITHOUT_OWNER_MS = 2000

const say = (text) => process.stderr.write(`${text}\n`)

/**
 * Tells in three file system look-ups whether a set-up may be needed; the launcher's hot path.
 * @returns {boolean} true: call `setUp`, which looks closer.
 */
export function mayNeedSetUp() {
  const stamp = statSync(STAMP, { throwIfNoEntry: false })
  if (!stamp || !existsSync(PINNED_NODE)) return true
  const lock = statSync(LOCK_FILE, { throwIfNoEntry: false })
  return lock !== undefined && lock.mtimeMs > stamp.mtimeMs
}

/**
 * Makes node_modules what the lock file asks for. Does nothing when it is so already.
 * @returns {Promise<number>} the exit code: 0 when the dependencies are there, else 1 (the reason has been printed) or
 *   128 + the number of the signal that ended the install.
 */
export async function setUp() {
  const wanted = fingerprint()
  if (isStamped(wanted)) return 0
  if (isInstalledAsLocked() && (await whyPinnedNodeIsMissing()) === undefined) {
    stamp(wanted)
    return 0
  }
  try {
    await takeLock()
  } catch (error) {
    say(
      `Drydock cannot write to ${MODULES} (${error.code ?? error.message}). Make the folder writable and start again.`,
    )
    return 1
  }
  try {
    if (isStamped(wanted)) return 0
    say('Installing dependencies (first start, about 30 s) ...')
    const code = await install()
    if (code !== 0) return code
    const missing = await whyPinnedNodeIsMissing()
    if (missing !== undefined) {
      say(missing)
      return 1
    }
    stamp(wanted)
    return 0
  } finally {
    rmSync(LOCK_FOLDER, { recursive: true, force: true })
  }
}

function fingerprint() {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const hash = createHash('sha256').update(JSON.stringify(DEPENDENCY_FIELDS.map((field) => manifest[field] ?? null)))
  if (existsSync(LOCK_FILE)) hash.update(readFileSync(LOCK_FILE))
  return hash.digest('hex')
}

function isStamped(wanted) {
  try {
    if (readFileSync(STAMP, 'utf8') !== wanted || !existsSync(PINNED_NODE)) return false
  } catch {
    return false // No stamp yet.
  }
  if (mayNeedSetUp()) stamp(wanted) // The lock file was written anew with the same text, as a checkout does.
  return true
}

function stamp(wanted) {
  try {
    mkdirSync(OWN_FOLDER, { recursive: true })
    writeFileSync(STAMP, wanted)
  } catch {
    // A clone that belongs to somebody else: every start looks closer, which costs it some milliseconds.
  }
}

/** True when somebody ran `npm install` by hand: npm's own record then names every package of the lock file. */
function isInstalledAsLocked() {
  try {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const locked = JSON.parse(readFileSync(LOCK_FILE, 'utf8')).packages
    const installed = JSON.parse(readFileSync(join(MODULES, '.package-lock.json'), 'utf8')).packages
    const asLocked = (field) => JSON.stringify(manifest[field] ?? {}) === JSON.stringify(locked[''][field] ?? {})
    if (!['dependencies', 'devDependencies', 'optionalDependencies'].every(asLocked)) return false
    return Object.entries(locked).every(([path, entry]) => {
      if (path === '') return true
      const found = installed[path]
      return found ? found.version === entry.version : Boolean(entry.optional || entry.devOptional)
    })
  } catch {
    return false // One of the files is not there or is cut short: install.
  }
}

/** Takes the lock of this clone, or waits until the set-up that has it is done or dead. */
async function takeLock() {
  mkdirSync(OWN_FOLDER, { recursive: true })
  for (let told = false; ; ) {
    try {
      mkdirSync(LOCK_FOLDER)
      writeFileSync(LOCK_OWNER, String(process.pid))
      return
    } catch (error) {
      if (error.code === 'ENOENT') {
        mkdirSync(OWN_FOLDER, { recursive: true }) // Somebody deleted node_modules meanwhile.
        continue
      }
      if (error.code !== 'EEXIST') throw error
    }
    if (isLockLeftOver()) {
      rmSync(LOCK_FOLDER, { recursive: true, force: true })
      continue
    }
    if (!told) say('Another start is installing the dependencies of this folder; waiting for it ...')
    told = true
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS))
  }
}

function isLockLeftOver() {
  let owner
  try {
    owner = Number(readFileSync(LOCK_OWNER, 'utf8'))
  } catch {
    owner = 0
  }
  if (!owner) {
    const lock = statSync(LOCK_FOLDER, { throwIfNoEntry: false })
    return lock !== undefined && Date.now() - lock.mtimeMs > LOCK_WITHOUT_OWNER_MS
  }
  try {
    process.kill(owner, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

// The install script of the package `node` calls `npm` and a shell by name: a start from a desktop or by an absolute
// path may have neither on its PATH.
const installPath = () => {
  const system = process.platform === 'win32' ? [] : ['/usr/local/bin', '/usr/bin', '/bin']
  return [process.env.PATH, dirname(process.execPath), ...system].filter(Boolean).join(delimiter)
}

/** Runs npm and shows what it said only when it failed. */
async function install() {
  const { command, args } = npm()
  const { code, signal, output, error } = await run(command, [...args, ...INSTALL], {
    ...process.env,
    PATH: installPath(),
  })
  if (signal) return 128 + constants.signals[signal]
  if (code === 0) return 0
  if (output !== '') say(output.trimEnd())
  const reason = error ? `npm could not be started (${error.code ?? error.message})` : `npm ended with ${code}`
  say(`Drydock could not install its dependencies: ${reason}. Check the network, then run "npm install" in ${ROOT}`)
  return 1
}

/** The npm that runs this script, else the one beside this Node, else the one on the PATH. */
function npm() {
  const bin = dirname(realpathSync(process.execPath))
  const scripts = [
    process.env.npm_execpath ?? '',
    join(bin, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(bin, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ]
  // Other package managers set npm_execpath to themselves.
  const script = scripts.find((path) => path.endsWith('npm-cli.js') && existsSync(path))
  return script ? { command: process.execPath, args: [script] } : { command: 'npm', args: [] }
}

async function whyPinnedNodeIsMissing() {
  const fix =
    `The install script of the package "node" puts it there; npm may be set to ignore install scripts.\n` +
    `Run "npm rebuild node --ignore-scripts=false" in ${ROOT} and start again.`
  if (!existsSync(PINNED_NODE)) return `The pinned Node is missing: ${PINNED_NODE}\n${fix}`
  const { code, output } = await run(PINNED_NODE, ['--version'])
  const version = output.trim()
  if (code === 0 && version.startsWith(`v${PINNED_NODE_MAJOR}.`)) return undefined
  const found = version === '' ? 'It does not run' : `It reports "${version}"`
  return `The pinned Node is not usable: ${PINNED_NODE}\n${found}, and ${PINNED_NODE_MAJOR}.x is needed. ${fix}`
}

/** Runs a program in the clone's root and collects what it prints; a signal to this process is passed to it. */
function run(command, args, env = process.env) {
  return new Promise((resolve) => {
    const chunks = []
    let passed
    const pass = (signal) => {
      passed = signal
      child.kill(signal)
    }
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    // Before the program is there: a signal that came in between would end this process alone.
    for (const signal of signals) process.on(signal, pass)
    const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    const end = (result) => {
      for (const signal of signals) process.off(signal, pass)
      resolve({ code: null, ...result, signal: passed, output: Buffer.concat(chunks).toString() })
    }
    child.once('error', (error) => end({ error }))
    child.once('close', (code) => end({ code }))
  })
}

// With `--build`, before what runs it. Loaded here, as a plain set-up needs it not.
async function setUpBuilds() {
  if (!process.argv.includes('--build')) return 0
  const { buildIfStale, PAGES, PROGRAM } = await import('./build.mjs')
  return buildIfStale(PAGES, PINNED_NODE) || buildIfStale(PROGRAM, PINNED_NODE)
}

if (realpathSync(process.argv[1] ?? '') === realpathSync(fileURLToPath(import.meta.url))) {
  process.exitCode = (await setUp()) || (await setUpBuilds())
}
