/**
 * Builds what a clone runs: the pages into out/renderer, the program into out/desktop, the desktop window into out/shell.
 * `npm run build` and `npm run build:desktop` always build; `npm start` and `npm test` build only what is missing or older
 * than its sources, by a hash of them. A new build replaces the old one in one step, so a running service never serves
 * half a build.
 *
 * The launcher asks here whether the program is of these sources. It runs on any Node, and has no dependencies.
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
import { ROOT, run, say, step } from './steps.mjs'

const OUT = join(ROOT, 'out')

/**
 * @typedef {object} Part what is built together
 * @property {string} name as sentences call it
 * @property {string} folder where it is, in `out`
 * @property {string} entry file of the folder that is there when it has been built
 * @property {string[]} sources all that goes in, files and folders of the clone
 * @property {string[]} tool program of node_modules and its arguments; DRYDOCK_BUILD_TO says where to
 * @property {string} command what a person calls to build it
 */

const VITE = 'vite/bin/vite.js'

/**
 * The pages share contract and domain with the service; the lock file says which libraries go in.
 * @type {Part}
 */
export const PAGES = {
  name: 'web pages',
  folder: 'renderer',
  entry: 'index.html',
  sources: ['src-renderer', 'src-main/contract', 'src-main/domain', 'package-lock.json'],
  tool: [VITE, 'build', '--config', 'src-renderer/vite.config.ts'],
  command: 'npm run build',
}

/**
 * The service and the command line. It starts in half the time that the sources take, whose files Node finds, reads and
 * joins one by one, and in 35 MB less.
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
 * The part that Electron runs. Only the window, its tests and packages need it.
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

/** The parts that a command needs. @param {{ dev: boolean }} wanted `dev`: the tools of tests and packages are installed */
export const partsOf = ({ dev }) => [PAGES, PROGRAM, ...(dev ? [SHELL] : [])]

const PLACING_TRIES = 10

const look = (path) => statSync(path, { throwIfNoEntry: false })
const folderOf = (part) => join(OUT, part.folder)
const stampOf = (part) => join(OUT, `${part.folder}.sources`)

/**
 * Builds the parts that are missing or of other sources, side by side.
 * @param {readonly Part[]} parts
 * @param {string} node the Node that builds them
 * @returns {Promise<{ code: number, hasBuilt: boolean }>} `code`: 0 when all are there, else an exit code; the reason has
 *   been printed
 */
export async function buildStale(parts, node) {
  const stale = parts.filter((part) => !isBuilt(part))
  return { code: await build(stale, node), hasBuilt: stale.length > 0 }
}

/**
 * Tells whether a part is there and of these sources. Where nothing has been touched since it was built it takes a look
 * at each file, some milliseconds, and where something was, a hash of all.
 * @param {Part} part
 */
export function isBuilt(part) {
  const stamp = look(stampOf(part))
  if (stamp === undefined || !existsSync(join(folderOf(part), part.entry))) return false
  if (lastChange(part.sources) < stamp.mtimeMs) return true
  const begun = new Date()
  const sources = hashSources(part.sources)
  if (readFileSync(stampOf(part), 'utf8') !== sources) return false
  try {
    writeStamp(part, sources, begun)
  } catch {
    // A clone that belongs to somebody else: every start looks closer.
  }
  return true
}

async function build(parts, node) {
  if (parts.length === 0) return 0
  const names = new Intl.ListFormat('en').format(parts.map(({ name }) => `the ${name}`))
  const ends = await step(`Building ${names}`, () => Promise.all(parts.map((part) => buildOne(part, node))))
  for (const { problem } of ends) if (problem !== undefined) say(problem)
  return Math.max(...ends.map(({ code }) => code))
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
      const problem = `${output}The ${part.name} could not be built: ${why}. Fix that, then run "${part.command}".`
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

// Two starts at once build twice: then the one that is later takes the place of the other.
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

// Its time is from before the sources were read: what changes while they are read or built is newer than it.
function writeStamp(part, sources, begun) {
  writeFileSync(stampOf(part), sources)
  utimesSync(stampOf(part), begun, begun)
}

// By the time of change, which no program can set, of files and of folders, which lose and gain entries; in ms. What is
// gone again, like the file of an editor, is a change.
function lastChange(sources) {
  return Math.max(...entriesOf(sources).map((path) => look(path)?.ctimeMs ?? Infinity))
}

function hashSources(sources) {
  const hash = createHash('sha256')
  for (const path of entriesOf(sources).sort())
    if (look(path)?.isFile()) hash.update(`${relative(ROOT, path)}\n`).update(readFileSync(path))
  return hash.digest('hex')
}

// Files and folders of the clone, each with all that is below it.
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
