/**
 * Builds a clone's pages, program and window, replacing old builds atomically; `npm start` and `npm test` build only
 * stale parts.
 */
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isAlive, ROOT, run, say, step } from './steps.mjs'

const OUT = join(ROOT, 'out')

/**
 * @typedef {object} Part the output of one build
 * @property {string} name for messages, after "the"
 * @property {string} folder of the output, in `out`
 * @property {string} entry file of the folder that every build writes
 * @property {string[]} sources files and folders of the clone that the output depends on
 * @property {string[]} tool program in node_modules and its arguments; it builds into DRYDOCK_BUILD_TO
 * @property {string} command a user runs to build it
 */

const VITE = 'vite/bin/vite.js'

/**
 * The pages share the contract and rules with the service; the lock file determines the libraries in them.
 * @type {Part}
 */
export const PAGES = {
  name: 'web pages',
  folder: 'renderer',
  entry: 'index.html',
  sources: [
    'src-renderer',
    ...['app/client', 'contract', 'features', 'lib', 'runtimes/rules'].map((f) => `src-main/${f}`),
    'package-lock.json',
  ],
  tool: [VITE, 'build', '--config', 'src-renderer/vite.config.ts'],
  command: 'npm run build',
}

/**
 * The service and the command line. Built, they start in half the time and take 35 MB less, as Node need not link the
 * sources file by file.
 * @type {Part}
 */
export const PROGRAM = {
  name: 'program',
  folder: 'desktop',
  entry: 'cli.js',
  sources: ['src-main', 'package.json', 'package-lock.json'],
  tool: [VITE, 'build', '--config', 'src-main/vite.config.ts'],
  command: 'npm run build:desktop',
}

/**
 * The main process of the desktop window. Only the window, its tests and packages need it.
 * @type {Part}
 */
export const SHELL = {
  ...PROGRAM,
  name: 'desktop window',
  folder: 'shell',
  entry: 'main.js',
  sources: [...PROGRAM.sources, 'electron.vite.config.ts'],
  tool: ['electron-vite/bin/electron-vite.js', 'build'],
}

/** @param {{ dev: boolean }} wanted `dev`: test tools are installed */
export const partsOf = ({ dev }) => [PAGES, PROGRAM, ...(dev ? [SHELL] : [])]

const PLACING_TRIES = 10

const look = (path) => statSync(path, { throwIfNoEntry: false })
const folderOf = (part) => join(OUT, part.folder)
const stampOf = (part) => join(OUT, `${part.folder}.sources`)

/**
 * Builds the parts that are missing or out of date, side by side.
 * @param {readonly Part[]} parts
 * @param {string} node the Node that runs the tools
 * @returns {Promise<number>} 0 if all parts are up to date, else an exit code; the reason has been printed
 */
export function buildStale(parts, node) {
  return build(
    parts.filter((part) => !isBuilt(part)),
    node,
  )
}

/**
 * Tells whether a part is up to date: compares the times of all sources, which takes milliseconds, and hashes them only
 * after a change.
 * @param {Part} part
 */
export function isBuilt(part) {
  const stamp = look(stampOf(part))
  if (stamp === undefined || !existsSync(join(folderOf(part), part.entry))) return false
  // A future stamp comes from a wrong clock: changes until then would look older than the build.
  if (lastChange(part.sources) < stamp.mtimeMs && stamp.mtimeMs <= Date.now()) return true
  const begun = new Date()
  const sources = hashSources(part.sources)
  if (readFileSync(stampOf(part), 'utf8') !== sources) return false
  try {
    writeStamp(part, sources, begun)
  } catch {
    // In a clone of another user, every start hashes the sources.
  }
  return true
}

async function build(parts, node) {
  if (parts.length === 0) return 0
  removeLeftOvers()
  const names = new Intl.ListFormat('en').format(parts.map(({ name }) => `the ${name}`))
  const ends = await step(`Building ${names}`, () => Promise.all(parts.map((part) => buildOne(part, node))))
  for (const { problem } of ends) if (problem !== undefined) say(problem)
  return Math.max(...ends.map(({ code }) => code))
}

// A killed build leaves its folder, whose name contains its process id.
function removeLeftOvers() {
  for (const name of existsSync(OUT) ? readdirSync(OUT) : []) {
    const pid = Number(/\.(\d+)$/.exec(name)?.[1])
    if (pid && !isAlive(pid)) rmSync(join(OUT, name), { recursive: true, force: true })
  }
}

async function buildOne(part, node) {
  const begun = new Date()
  const sources = hashSources(part.sources)
  const fresh = join(OUT, `${part.folder}.${process.pid}`)
  const [tool, ...given] = part.tool
  const env = { ...process.env, NODE_ENV: 'production', DRYDOCK_BUILD_TO: fresh }
  try {
    const args = [join(ROOT, 'node_modules', tool), ...given, '--logLevel', 'warn']
    const { code, signalCode, output, error } = await run(node, args, { env })
    if (signalCode !== undefined) return { code: signalCode }
    if (code !== 0) {
      const why = error?.message ?? 'see above'
      const problem = `${output}The ${part.name} could not be built: ${why}. Fix the cause, then run "${part.command}".`
      return { code: 1, problem }
    }
    mkdirSync(OUT, { recursive: true })
    putInPlace(fresh, folderOf(part))
    writeStamp(part, sources, begun)
    return { code: 0 }
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

// If `npm run build` runs during a start's build, the later one replaces the other.
function putInPlace(fresh, place) {
  for (let tries = 1; ; tries++) {
    rmSync(place, { recursive: true, force: true })
    try {
      return renameSync(fresh, place)
    } catch (error) {
      if (tries === PLACING_TRIES || !['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error
    }
  }
}

// The stamp predates reading the sources, so that a change during the build is newer.
function writeStamp(part, sources, begun) {
  writeFileSync(stampOf(part), sources)
  utimesSync(stampOf(part), begun, begun)
}

// The latest ctime in ms, which no program can set. A file that disappeared counts as a change.
function lastChange(sources) {
  return Math.max(...entriesOf(sources).map((path) => look(path)?.ctimeMs ?? Infinity))
}

function hashSources(sources) {
  const hash = createHash('sha256')
  for (const path of entriesOf(sources).sort())
    if (look(path)?.isFile()) hash.update(`${relative(ROOT, path)}\n`).update(readFileSync(path))
  return hash.digest('hex')
}

function entriesOf(sources) {
  return sources
    .map((source) => join(ROOT, source))
    .filter(existsSync)
    .flatMap((path) => [
      path,
      ...(look(path)?.isDirectory() ? readdirSync(path, { recursive: true }).map((below) => join(path, below)) : []),
    ])
}

if (realpathSync(process.argv[1] ?? '') === realpathSync(fileURLToPath(import.meta.url))) {
  process.exitCode = await build(process.argv.includes('--program') ? [PROGRAM, SHELL] : [PAGES], process.execPath)
}
