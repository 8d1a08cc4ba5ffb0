/**
 * Builds the web pages into out/renderer. `npm run build` always does; the steps before `npm start` and `npm test` only
 * where the pages there are not of these sources, which is told by a hash of all files that go in. The new pages take
 * the place of the old ones at once, so that a service that runs never answers with half a build.
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
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Not taken from set-up.mjs, which may be waiting for this file.
const ROOT = dirname(dirname(dirname(realpathSync(fileURLToPath(import.meta.url)))))
const OUT = join(ROOT, 'out')
const PAGES = join(OUT, 'renderer')
const STAMP = join(OUT, 'renderer.sources')
const VITE = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js')
// The pages share contract and domain with the service; the lock file says which libraries go in.
const SOURCES = ['src-renderer', 'src-main/contract', 'src-main/domain', 'package-lock.json']

const PLACING_TRIES = 10

const say = (text) => process.stderr.write(`${text}\n`)

/**
 * Builds the pages where they are missing or of other sources.
 * @param {string} node the Node that builds them
 * @returns {number} the exit code: 0 when the pages are there, else 1; the reason has been printed
 */
export function buildPagesIfStale(node) {
  const sources = hashSources()
  return isBuiltFrom(sources) ? 0 : build(sources, node)
}

function isBuiltFrom(sources) {
  try {
    return readFileSync(STAMP, 'utf8') === sources && existsSync(join(PAGES, 'index.html'))
  } catch {
    return false // Never built, or the folder was deleted.
  }
}

function build(sources, node) {
  const fresh = join(OUT, `renderer.${process.pid}`)
  say('Building the web pages ...')
  const args = [VITE, 'build', '--config', join(ROOT, 'src-renderer', 'vite.config.ts'), '--outDir', fresh]
  const { status, stdout, stderr, error } = spawnSync(node, [...args, '--logLevel', 'warn'], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' },
  })
  try {
    if (status !== 0) {
      say(`${stdout ?? ''}${stderr ?? ''}`.trimEnd())
      say(`The web pages could not be built: ${error?.message ?? 'see above'}. Fix that, then run "npm run build".`)
      return 1
    }
    mkdirSync(OUT, { recursive: true })
    putInPlace(fresh)
    writeFileSync(STAMP, sources)
    return 0
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

// Two starts at once build twice: then the one that is later takes the place of the other.
function putInPlace(fresh) {
  for (let tries = 1; ; tries++) {
    rmSync(PAGES, { recursive: true, force: true })
    try {
      return renameSync(fresh, PAGES)
    } catch (error) {
      if (tries === PLACING_TRIES || !['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error
    }
  }
}

/** Hash of all files below these paths of the clone. @param {string[]} sources */
export function hashSources(sources = SOURCES) {
  const hash = createHash('sha256')
  for (const path of sources.flatMap((source) => filesOf(join(ROOT, source))).sort())
    hash.update(`${path}\n`).update(readFileSync(path))
  return hash.digest('hex')
}

function filesOf(path) {
  if (!existsSync(path)) return []
  try {
    return readdirSync(path, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch (error) {
    if (error.code !== 'ENOTDIR') throw error
    return [path]
  }
}

if (realpathSync(process.argv[1] ?? '') === realpathSync(fileURLToPath(import.meta.url))) {
  process.exitCode = build(hashSources(), process.execPath)
}
