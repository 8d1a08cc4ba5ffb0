/**
 * Installs what this clone needs for a command, when it is missing or older than a lock file asks for, and builds web
 * pages and program when they are missing or of other sources:
 *
 *   node src-main/cli/set-up.mjs [--dev] [--build] [FOLDER ...]
 *
 * It always installs the packages that a start needs; `--dev` adds the tools of tests and checks, a FOLDER its own
 * packages. It is the step before every npm script, and the launcher calls it too. It has no dependencies and no
 * TypeScript, because it runs before anything is installed, on whatever Node a machine has. It writes to stderr only:
 * the stdout of the launcher belongs to the command.
 */
import { createHash } from 'node:crypto'
import {
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
import { ROOT, run, say, secondsSince, step } from './steps.mjs'

/** The release line of Node that is needed; the pinned release is in resources/pinned-node. */
export const NODE_MAJOR = 24

// A Node that npm put into this folder is not the system's: an install may replace it.
const IS_OF_SYSTEM = !process.execPath.startsWith(join(ROOT, '/'))
const IS_NEW_ENOUGH = IS_OF_SYSTEM && Number.parseInt(process.versions.node, 10) >= NODE_MAJOR

/** False in an installed package, which holds no sources; npm has installed all that it needs. */
export const IS_CLONE = existsSync(join(ROOT, 'src-main', 'cli', 'main.ts'))

/** The folder whose package is a Node for each machine. */
export const PINNED = 'resources/pinned-node'
const PINNED_PACKAGE = packageOfNode()
/** The pinned Node; it is there where it is needed, and for packages. */
export const PINNED_NODE = join(PINNED_PACKAGE, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** The Node that runs the product: the system's, which runs this, where it is new enough; else the pinned one. */
export const NODE = IS_NEW_ENOUGH ? process.execPath : PINNED_NODE

// npm installs the one package of these that is made for the machine. That needs no install script, which npm may refuse.
function packageOfNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform
  const name = `${system === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${system}-${process.arch}`
  if (IS_CLONE) return join(ROOT, PINNED, 'node_modules', name)
  try {
    return dirname(createRequire(join(ROOT, 'package.json')).resolve(`${name}/package.json`))
  } catch {
    return join(ROOT, 'node_modules', name) // left out or not made for this machine: the start says so
  }
}

const MODULES = join(ROOT, 'node_modules')
const LOCK_FOLDER = join(MODULES, '.drydock', 'set-up-runs')
const LOCK_OWNER = join(LOCK_FOLDER, 'pid')

// npm leaves entries of node_modules alone whose names start with a dot.
const stampOf = (folder) => join(ROOT, folder, 'node_modules', '.drydock', 'installed')
const lockFileOf = (folder) => join(ROOT, folder, 'package-lock.json')

/** The clone itself. */
const CLONE = '.'
/** How much of the clone's packages is there, from less to more. */
const LEVELS = ['start', 'dev']

const DEPENDENCY_FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides', 'allowScripts']

// `npm install --no-save` and not `npm ci`: `ci` deletes node_modules first, under the feet of a service that may be
// running from this clone, and newer releases of npm refuse a lock file that lacks the packages of other platforms.
// With a lock file both install the same versions and check the same hashes; `--no-save` leaves the lock file as it is.
const INSTALL = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
// Always passed: otherwise NODE_ENV=production or npm's configuration would decide.
const LEVEL_OPTION = { start: '--omit=dev', dev: '--include=dev' }

// Time between two looks at another set-up's lock, in ms. Source: ours; an install takes 10 s or more.
const LOCK_POLL_MS = 100
// A lock folder without its owner's number is left over from a crash when it is older than this, in ms.
const LOCK_WITHOUT_OWNER_MS = 2000

/**
 * Tells in three file system look-ups whether a set-up may be needed; the launcher's hot path.
 * @returns {boolean} true: call `setUp`, which looks closer.
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
 * Makes this clone what a command needs. Does nothing when it is so already.
 * @param {object} [wanted]
 * @param {boolean} [wanted.dev] with the tools of tests and checks
 * @param {readonly string[]} [wanted.folders] folders with packages of their own
 * @param {boolean} [wanted.build] with web pages and program
 * @returns {Promise<number>} the exit code: 0 when all is there, else 1 (the reason has been printed) or 128 + the number
 *   of the signal that ended it.
 */
export async function setUp({ dev = false, folders = [], build = false } = {}) {
  const begun = performance.now()
  const places = new Set([...folders, ...(IS_NEW_ENOUGH ? [] : [PINNED])])
  const wanted = [
    { folder: CLONE, level: dev ? 'dev' : 'start' },
    ...[...places].map((folder) => ({ folder, level: 'dev' })),
  ]
  let hasWorked = false
  if (!wanted.every(isThere)) {
    try {
      await takeLock()
    } catch (error) {
      say(
        `Drydock cannot write to ${MODULES} (${error.code ?? error.message}). Make the folder writable and start again.`,
      )
      return 1
    }
    try {
      const missing = wanted.filter((place) => !isThere(place))
      hasWorked = missing.length > 0
      const code = hasWorked ? await install(missing) : 0
      if (code !== 0) return code
    } finally {
      rmSync(LOCK_FOLDER, { recursive: true, force: true })
    }
  }
  if (build) {
    // Loaded only here: a plain set-up does not need it.
    const { buildStale, partsOf } = await import('./build.mjs')
    const { code, hasBuilt } = await buildStale(partsOf({ dev }), NODE)
    if (code !== 0) return code
    hasWorked ||= hasBuilt
  }
  if (hasWorked) say(`Set-up took ${secondsSince(begun)}.`)
  return 0
}

const readJson = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'))

function fingerprint(folder) {
  const manifest = readJson(ROOT, folder, 'package.json')
  const hash = createHash('sha256').update(JSON.stringify(DEPENDENCY_FIELDS.map((field) => manifest[field] ?? null)))
  if (existsSync(lockFileOf(folder))) hash.update(readFileSync(lockFileOf(folder)))
  return hash.digest('hex')
}

/** The level that a set-up left in a folder, and its lock file. */
function readStamp(folder) {
  try {
    const [level, of] = readFileSync(stampOf(folder), 'utf8').split(' ')
    return { level, of }
  } catch {
    return {} // No stamp yet.
  }
}

function isThere({ folder, level }) {
  if (folder === PINNED && !existsSync(PINNED_NODE)) return false
  const wanted = fingerprint(folder)
  const stamp = readStamp(folder)
  const isStamped = stamp.of === wanted
  const found = isStamped ? stamp.level : levelInstalledByHand(folder)
  if (LEVELS.indexOf(found) < LEVELS.indexOf(level)) return false
  // The lock file was written anew with the same text, as a checkout does; or somebody ran `npm install`.
  if (!isStamped || isOlderThanLockFile(folder)) writeStamp(folder, found, wanted)
  return true
}

function writeStamp(folder, level, of) {
  try {
    mkdirSync(dirname(stampOf(folder)), { recursive: true })
    writeFileSync(stampOf(folder), `${level} ${of}`)
  } catch {
    // A clone that belongs to somebody else: every start looks closer, which costs it some milliseconds.
  }
}

/** The level of a manual `npm install`, read from npm's own record in node_modules. */
function levelInstalledByHand(folder) {
  try {
    const manifest = readJson(ROOT, folder, 'package.json')
    const locked = readJson(lockFileOf(folder)).packages
    const installed = readJson(ROOT, folder, 'node_modules', '.package-lock.json').packages
    const asLocked = (field) => JSON.stringify(manifest[field] ?? {}) === JSON.stringify(locked[''][field] ?? {})
    if (!['dependencies', 'devDependencies', 'optionalDependencies'].every(asLocked)) return undefined
    const missing = Object.entries(locked).filter(([path, entry]) => {
      const found = installed[path]
      return path !== '' && (found ? found.version !== entry.version : !(entry.optional || entry.devOptional))
    })
    if (missing.length === 0) return 'dev'
    return missing.every(([, { dev, devOptional }]) => dev || devOptional) ? 'start' : undefined
  } catch {
    return undefined // One of the files is not there or is cut short: install.
  }
}

/** Takes the lock of this clone, or waits until the set-up that has it is done or dead. */
async function takeLock() {
  for (let told = false; ; ) {
    mkdirSync(dirname(LOCK_FOLDER), { recursive: true })
    try {
      mkdirSync(LOCK_FOLDER)
      writeFileSync(LOCK_OWNER, String(process.pid))
      return
    } catch (error) {
      if (error.code === 'ENOENT') continue // Somebody deleted node_modules meanwhile.
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

/** Installs places side by side. */
async function install(missing) {
  // A clone keeps what it has: a start with another lock file leaves no test without its tools.
  const places = missing.map(({ folder, level }) => ({
    folder,
    level: LEVELS[Math.max(LEVELS.indexOf(level), LEVELS.indexOf(readStamp(folder).level))],
  }))
  const codes = await step(`Installing ${places.map(nameOf).join(', ')}`, () => Promise.all(places.map(installOne)))
  for (const { code, problem } of codes) {
    if (problem !== undefined) say(problem)
    if (code !== 0) return code
  }
  if (!IS_NEW_ENOUGH) linkForScripts()
  return 0
}

function nameOf({ folder, level }) {
  if (folder === PINNED) return `Node ${NODE_MAJOR}`
  if (folder !== CLONE) return `the packages of ${folder}`
  return level === 'start' ? 'the packages to start (without those of tests and checks)' : 'all packages'
}

/** Runs npm; what it said is a part of the problem. */
async function installOne({ folder, level }) {
  const { command, args } = npm()
  const { code, signalCode, output, error } = await run(command, [...args, ...INSTALL, LEVEL_OPTION[level]], {
    cwd: join(ROOT, folder),
    env: { ...process.env, PATH: installPath() },
  })
  if (signalCode !== undefined) return { code: signalCode }
  if (code !== 0) {
    const reason = error ? `npm could not be started (${error.code ?? error.message})` : `npm ended with ${code}`
    const advice = `Check the network, then run "npm install" in ${join(ROOT, folder)}`
    return { code: 1, problem: `${output}Drydock could not install its dependencies: ${reason}. ${advice}` }
  }
  const problem = folder === PINNED ? await whyPinnedNodeFails() : undefined
  if (problem !== undefined) return { code: 1, problem }
  // Headers, for building libraries: a third of its size.
  if (folder === PINNED) rmSync(join(PINNED_PACKAGE, 'include'), { recursive: true, force: true })
  writeStamp(folder, level, fingerprint(folder))
  return { code: 0 }
}

// npm calls a shell by name for install scripts: a start from a desktop or by an absolute path may have none on its PATH.
const installPath = () => {
  const system = process.platform === 'win32' ? [] : ['/usr/local/bin', '/usr/bin', '/bin']
  return [process.env.PATH, dirname(process.execPath), ...system].filter(Boolean).join(delimiter)
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

/** The reason why the Node that npm installed does not run; undefined when it does. */
async function whyPinnedNodeFails() {
  const fix = `Install Node ${NODE_MAJOR} or newer, or run "npm install" in ${join(ROOT, PINNED)} and start again.`
  if (!existsSync(PINNED_NODE)) return `The pinned Node is missing: ${PINNED_NODE}\n${fix}`
  const { code, output } = await run(PINNED_NODE, ['--version'])
  const version = output.trim()
  if (code !== 0 || !version.startsWith(`v${NODE_MAJOR}.`)) {
    const found = version === '' ? 'It does not run' : `It reports "${version}"`
    return `The pinned Node is not usable: ${PINNED_NODE}\n${found}, and ${NODE_MAJOR}.x is needed. ${fix}`
  }
  return undefined
}

/** Makes npm's scripts find the pinned Node first, as they look for programs in node_modules/.bin. */
function linkForScripts() {
  const link = join(MODULES, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
  mkdirSync(dirname(link), { recursive: true })
  rmSync(link, { force: true })
  const target = relative(dirname(link), PINNED_NODE)
  if (process.platform === 'win32') writeFileSync(link, `@"%~dp0${target}" %*\r\n`)
  else symlinkSync(target, link)
}

if (realpathSync(process.argv[1] ?? '') === realpathSync(fileURLToPath(import.meta.url))) {
  const args = process.argv.slice(2)
  process.exitCode = await setUp({
    dev: args.includes('--dev'),
    build: args.includes('--build'),
    folders: args.filter((arg) => !arg.startsWith('--')),
  })
}
