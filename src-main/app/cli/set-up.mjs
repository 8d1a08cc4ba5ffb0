/**
 * Installs missing packages and builds stale parts; `--dev` adds test tools. It has no dependencies, runs on any Node,
 * and leaves stdout to the command.
 */
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isAlive, ROOT, run, say, secondsSince, step } from './steps.mjs'

/** Minimum major version of Node that runs Drydock; resources/pinned-node pins a release. */
export const NODE_MAJOR = 24

// An install may replace a Node inside this clone while it runs.
const IS_OF_SYSTEM = !process.execPath.startsWith(join(ROOT, '/'))
const IS_NEW_ENOUGH = IS_OF_SYSTEM && Number.parseInt(process.versions.node, 10) >= NODE_MAJOR

/** False in an installed package, which has no sources and dependencies installed by npm. */
export const IS_CLONE = existsSync(join(ROOT, 'src-main', 'app', 'cli', 'main.ts'))

export const PINNED = 'resources/pinned-node'
const PINNED_PACKAGE = packageOfNode()
/** A clone installs the pinned Node only if its own is too old, and for packages. */
export const PINNED_NODE = join(PINNED_PACKAGE, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

export const NODE = IS_NEW_ENOUGH ? process.execPath : PINNED_NODE

// npm installs only this platform's package, without an install script, which it may refuse to run.
function packageOfNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform
  const name = `${system === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${system}-${process.arch}`
  if (IS_CLONE) return join(ROOT, PINNED, 'node_modules', name)
  try {
    return dirname(createRequire(join(ROOT, 'package.json')).resolve(`${name}/package.json`))
  } catch {
    return join(ROOT, 'node_modules', name)
  }
}

const MODULES = join(ROOT, 'node_modules')
const LOCK_FOLDER = join(MODULES, '.drydock', 'set-up-runs')
// Process ids of the set-up and its npm children, which continue if it is killed.
const LOCK_OWNER = join(LOCK_FOLDER, 'pid')

// npm does not touch entries of node_modules whose names start with a dot.
const stampOf = (folder) => join(ROOT, folder, 'node_modules', '.drydock', 'installed')
const lockFileOf = (folder) => join(ROOT, folder, 'package-lock.json')

const CLONE = '.'
const LEVELS = ['start', 'dev']

const DEPENDENCY_FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides', 'allowScripts']

// `npm ci` would delete node_modules of a running service, and new npm rejects lock files without other platforms'
// packages. Hashes are checked equally.
const INSTALL = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
// Explicit, because NODE_ENV=production and npm's configuration change the default.
const LEVEL_OPTION = { start: '--omit=dev', dev: '--include=dev' }

// ms between checks of another set-up's lock. Source: ours; an install takes 10 s or more.
const LOCK_POLL_MS = 100
// ms after which a lock folder without an owner's process id is left over from a crash.
const LOCK_WITHOUT_OWNER_MS = 2000

/**
 * Tells in three file system calls whether a set-up may be needed, as every start of the launcher asks.
 * @returns {boolean} true: call `setUp`, which checks thoroughly
 */
export function mayNeedSetUp() {
  return isOlderThanLockFile(CLONE) || !existsSync(NODE)
}

function isOlderThanLockFile(folder) {
  const stamp = statSync(stampOf(folder), { throwIfNoEntry: false })
  if (!stamp) return true
  const lock = statSync(lockFileOf(folder), { throwIfNoEntry: false })
  return lock !== undefined && lock.mtimeMs > stamp.mtimeMs
}

/**
 * Installs and builds what a command needs. Does nothing if all of it is up to date.
 * @param {object} [wanted]
 * @param {boolean} [wanted.dev] with the tools for tests and checks
 * @param {readonly string[]} [wanted.folders] folders with their own packages
 * @param {boolean} [wanted.build] with web pages and program
 * @returns {Promise<number>} the exit code: 0 if all is up to date, 1 after a failure (the reason has been printed),
 *   or 128 + the number of the signal that ended it
 */
export async function setUp({ dev = false, folders = [], build = false } = {}) {
  const begun = performance.now()
  const places = new Set([...folders, ...(IS_NEW_ENOUGH ? [] : [PINNED])])
  const wanted = [
    { folder: CLONE, level: dev ? 'dev' : 'start' },
    ...[...places].map((folder) => ({ folder, level: 'dev' })),
  ]
  // Imported here because a set-up without a build does not need it.
  const { buildStale, isBuilt, partsOf } = build ? await import('./build.mjs') : {}
  const parts = build ? partsOf({ dev }) : []
  const isUpToDate = () => wanted.every(isThere) && isLinked() && parts.every((part) => isBuilt(part))
  if (isUpToDate()) return 0
  try {
    await takeLock()
  } catch (error) {
    say(
      `Drydock cannot write to ${MODULES} (${error.code ?? error.message}). Make the folder writable and start again.`,
    )
    return 1
  }
  try {
    if (isUpToDate()) return 0
    const installed = await install(wanted.filter((place) => !isThere(place)))
    if (installed !== 0) return installed
    if (!isLinked()) linkForScripts()
    const code = (await buildStale?.(parts, NODE)) ?? 0
    if (code === 0) say(`Set-up took ${secondsSince(begun)}.`)
    return code
  } finally {
    rmSync(LOCK_FOLDER, { recursive: true, force: true })
  }
}

const readJson = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'))

function fingerprint(folder) {
  const manifest = readJson(ROOT, folder, 'package.json')
  const hash = createHash('sha256').update(JSON.stringify(DEPENDENCY_FIELDS.map((field) => manifest[field] ?? null)))
  if (existsSync(lockFileOf(folder))) hash.update(readFileSync(lockFileOf(folder)))
  return hash.digest('hex')
}

function readStamp(folder) {
  try {
    const [level, of] = readFileSync(stampOf(folder), 'utf8').split(' ')
    return { level, of }
  } catch {
    return {}
  }
}

function isThere({ folder, level }) {
  if (folder === PINNED && !existsSync(PINNED_NODE)) return false
  const wanted = fingerprint(folder)
  const stamp = readStamp(folder)
  const isStamped = stamp.of === wanted
  const found = isStamped ? stamp.level : levelInstalledByHand(folder)
  if (LEVELS.indexOf(found) < LEVELS.indexOf(level)) return false
  if (!isStamped || isOlderThanLockFile(folder)) writeStamp(folder, found, wanted)
  return true
}

function writeStamp(folder, level, of) {
  try {
    mkdirSync(dirname(stampOf(folder)), { recursive: true })
    writeFileSync(stampOf(folder), `${level} ${of}`)
  } catch {
    // The clone belongs to another user: every start checks thoroughly, which takes some milliseconds.
  }
}

/** Level that a manual `npm install` reached, according to npm's record in node_modules. */
function levelInstalledByHand(folder) {
  try {
    const manifest = readJson(ROOT, folder, 'package.json')
    const locked = readJson(lockFileOf(folder)).packages
    const installed = readJson(ROOT, folder, 'node_modules', '.package-lock.json').packages
    const asLocked = (field) => JSON.stringify(manifest[field] ?? {}) === JSON.stringify(locked[''][field] ?? {})
    if (!['dependencies', 'devDependencies', 'optionalDependencies'].every(asLocked)) return undefined
    const missing = Object.entries(locked).filter(([path, entry]) => {
      if (path === '') return false
      const found = installed[path]
      if (!found) return !(entry.optional || entry.devOptional)
      // Two parallel npm runs leave a record of packages that are gone.
      return found.version !== entry.version || !existsSync(join(ROOT, folder, path))
    })
    if (missing.length === 0) return 'dev'
    return missing.every(([, { dev, devOptional }]) => dev || devOptional) ? 'start' : undefined
  } catch {
    return undefined
  }
}

async function takeLock() {
  for (let told = false; ; ) {
    mkdirSync(dirname(LOCK_FOLDER), { recursive: true })
    try {
      mkdirSync(LOCK_FOLDER)
      writeFileSync(LOCK_OWNER, String(process.pid))
      return
    } catch (error) {
      if (error.code === 'ENOENT') continue // Somebody deleted node_modules while this set-up was waiting for the lock.
      if (error.code !== 'EEXIST') throw error
    }
    if (isLockLeftOver()) {
      rmSync(LOCK_FOLDER, { recursive: true, force: true })
      continue
    }
    if (!told) say('Another process is setting up this clone. Waiting for it ...')
    told = true
    await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS))
  }
}

function isLockLeftOver() {
  let owners = []
  try {
    owners = readFileSync(LOCK_OWNER, 'utf8').split('\n').map(Number).filter(Boolean)
  } catch {
    // Its owner has not written it yet.
  }
  if (owners.length === 0) {
    const lock = statSync(LOCK_FOLDER, { throwIfNoEntry: false })
    return lock !== undefined && Date.now() - lock.mtimeMs > LOCK_WITHOUT_OWNER_MS
  }
  // A restarted container gives its processes the same ids.
  return !owners.some((pid) => pid !== process.pid && isAlive(pid))
}

function addToLock(pid) {
  try {
    appendFileSync(LOCK_OWNER, `\n${pid}`)
  } catch {
    // Somebody deleted node_modules in the meantime.
  }
}

async function install(missing) {
  if (missing.length === 0) return 0
  const places = missing.map(({ folder, level }) => ({
    folder,
    level: LEVELS[Math.max(LEVELS.indexOf(level), LEVELS.indexOf(readStamp(folder).level))],
  }))
  const ends = await step(`Installing ${places.map(nameOf).join(', ')}`, () => Promise.all(places.map(installOne)))
  for (const { problem } of ends) if (problem !== undefined) say(problem)
  return Math.max(...ends.map(({ code }) => code))
}

function nameOf({ folder, level }) {
  if (folder === PINNED) return `Node ${NODE_MAJOR}`
  if (folder !== CLONE) return `the packages of ${folder}`
  return level === 'start' ? 'the packages needed to start (without those for tests and checks)' : 'all packages'
}

async function installOne({ folder, level }) {
  const { command, args } = npm()
  const { code, signalCode, output, error } = await run(command, [...args, ...INSTALL, LEVEL_OPTION[level]], {
    cwd: join(ROOT, folder),
    env: { ...process.env, PATH: installPath() },
    onStart: addToLock,
  })
  if (signalCode !== undefined) return { code: signalCode }
  if (code !== 0) {
    const reason = error ? `npm could not be started (${error.code ?? error.message})` : `npm exited with code ${code}`
    const problem = `${output}The installation of ${nameOf({ folder, level })} failed: ${reason}.`
    return { code: 1, problem: `${problem} Check the network, then start again.` }
  }
  const problem = folder === PINNED ? await whyPinnedNodeFails() : undefined
  if (problem !== undefined) return { code: 1, problem }
  // Headers for building libraries: a third of the package.
  if (folder === PINNED) rmSync(join(PINNED_PACKAGE, 'include'), { recursive: true, force: true })
  writeStamp(folder, level, fingerprint(folder))
  return { code: 0 }
}

// npm finds the shell for install scripts on PATH, which may lack it when a desktop starts Drydock.
const installPath = () => {
  const system = process.platform === 'win32' ? [] : ['/usr/local/bin', '/usr/bin', '/bin']
  return [process.env.PATH, dirname(process.execPath), ...system].filter(Boolean).join(delimiter)
}

function npm() {
  const bin = dirname(realpathSync(process.execPath))
  const scripts = [
    process.env.npm_execpath ?? '',
    join(bin, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(bin, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ]
  const script = scripts.find((path) => path.endsWith('npm-cli.js') && existsSync(path))
  return script ? { command: process.execPath, args: [script] } : { command: 'npm', args: [] }
}

async function whyPinnedNodeFails() {
  const fix = `Install Node ${NODE_MAJOR} or newer, or delete ${join(ROOT, PINNED, 'node_modules')} and start again.`
  if (!existsSync(PINNED_NODE)) return `The pinned Node is missing: ${PINNED_NODE}\n${fix}`
  const { code, output } = await run(PINNED_NODE, ['--version'])
  const version = output.trim()
  if (code !== 0 || !version.startsWith(`v${NODE_MAJOR}.`)) {
    const found = version === '' ? 'It does not run' : `It reports version "${version}"`
    return `The pinned Node is not usable: ${PINNED_NODE}\n${found}, and Drydock needs ${NODE_MAJOR}.x. ${fix}`
  }
  return undefined
}

// npm scripts search programs here first. `npm ci` deletes the folder and the link.
const LINK = join(MODULES, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')

const isLinked = () => IS_NEW_ENOUGH || existsSync(LINK)

function linkForScripts() {
  mkdirSync(dirname(LINK), { recursive: true })
  rmSync(LINK, { force: true })
  const target = relative(dirname(LINK), PINNED_NODE)
  if (process.platform === 'win32') writeFileSync(LINK, `@"%~dp0${target}" %*\r\n`)
  else symlinkSync(target, LINK)
}

if (realpathSync(process.argv[1] ?? '') === realpathSync(fileURLToPath(import.meta.url))) {
  const args = process.argv.slice(2)
  process.exitCode = await setUp({
    dev: args.includes('--dev'),
    build: args.includes('--build'),
    folders: args.filter((arg) => !arg.startsWith('--')),
  })
}
