/**
 * Builds what a clone runs: the web pages into out/renderer, the program into out/desktop. `npm run build` and `npm run
 * build:desktop` always do; the step before `npm start` and `npm test` only where what is there is not of these
 * sources, which is told by a hash of all files that go in. The new build takes the place of the old one at once, so
 * that a service that runs never answers with half a build.
 *
 * The launcher asks here whether the program is of these sources. It runs on any Node, and has no dependencies.
 */
import { spawnSync } from 'node:child_process'
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
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

// Not taken from set-up.mjs, which may be waiting for this file.
const ROOT = dirname(dirname(dirname(realpathSync(fileURLToPath(import.meta.url)))))
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

/**
 * The pages share contract and domain with the service; the lock file says which libraries go in.
 * @type {Part}
 */
export const PAGES = {
  name: 'web pages',
  folder: 'renderer',
  entry: 'index.html',
  sources: ['src-renderer', 'src-main/contract', 'src-main/domain', 'package-lock.json'],
  tool: ['vite/bin/vite.js', 'build', '--config', join(ROOT, 'src-renderer', 'vite.config.ts')],
  command: 'npm run build',
}

/**
 * The service, the command line and what Electron runs. It starts in half the time that the sources take, whose files
 * Node finds, reads and joins one by one, and in 35 MB less.
 * @type {Part}
 */
export const PROGRAM = {
  name: 'program',
  folder: 'desktop',
  entry: 'cli.js',
  sources: ['src-main', 'electron.vite.config.ts', 'package.json', 'package-lock.json'],
  tool: ['electron-vite/bin/electron-vite.js', 'build'],
  command: 'npm run build:desktop',
}

const PLACING_TRIES = 10

const look = (path) => statSync(path, { throwIfNoEntry: false })
const say = (text) => process.stderr.write(`${text}\n`)
const folderOf = (part) => join(OUT, part.folder)
const stampOf = (part) => join(OUT, `${part.folder}.sources`)

/**
 * Builds a part where it is missing or of other sources.
 * @param {Part} part
 * @param {string} node the Node that builds it
 * @returns {number} the exit code: 0 when it is there, else 1; the reason has been printed
 */
export function buildIfStale(part, node) {
  return isBuilt(part) ? 0 : build(part, node)
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

function build(part, node) {
  const begun = new Date()
  const sources = hashSources(part.sources)
  const fresh = join(OUT, `${part.folder}.${process.pid}`)
  say(`Building the ${part.name} ...`)
  const [tool = '', ...args] = part.tool
  const { status, stdout, stderr, error } = spawnSync(
    node,
    [join(ROOT, 'node_modules', tool), ...args, '--logLevel', 'warn'],
    { cwd: ROOT, encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production', DRYDOCK_BUILD_TO: fresh } },
  )
  try {
    if (status !== 0) {
      say(`${stdout ?? ''}${stderr ?? ''}`.trimEnd())
      say(
        `The ${part.name} could not be built: ${error?.message ?? 'see above'}. Fix that, then run "${part.command}".`,
      )
      return 1
    }
    mkdirSync(OUT, { recursive: true })
    putInPlace(fresh, folderOf(part))
    writeStamp(part, sources, begun)
    return 0
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
  process.exitCode = build(process.argv.includes('--program') ? PROGRAM : PAGES, process.execPath)
}
