/**
 * Builds what Electron runs into out/desktop: `npm run build:desktop` always does, `drydock start` where the files
 * there are not of these sources.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hashSources } from './build-pages.mjs'
import { ROOT } from './set-up.mjs'

const STAMP = join(ROOT, 'out', 'desktop.sources')
const ELECTRON_VITE = join(ROOT, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
const SOURCES = ['src-main', 'electron.vite.config.ts', 'package.json', 'package-lock.json']

const say = (text) => process.stderr.write(`${text}\n`)

/**
 * Builds it where it is missing or of other sources.
 * @param {string} node the Node that builds it
 * @returns {number} the exit code: 0 when it is there, else 1; the reason has been printed
 */
export function buildDesktopIfStale(node) {
  const sources = hashSources(SOURCES)
  return isBuiltFrom(sources) ? 0 : build(sources, node)
}

function isBuiltFrom(sources) {
  try {
    return readFileSync(STAMP, 'utf8') === sources && existsSync(join(ROOT, 'out', 'desktop', 'main.js'))
  } catch {
    return false // Never built, or the folder was deleted.
  }
}

function build(sources, node) {
  say('Building the desktop ...')
  const { status, stdout, stderr, error } = spawnSync(node, [ELECTRON_VITE, 'build', '--logLevel', 'warn'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (status !== 0) {
    say(`${stdout ?? ''}${stderr ?? ''}`.trimEnd())
    say(`The desktop could not be built: ${error?.message ?? 'see above'}. Fix that, then run "npm run build:desktop".`)
    return 1
  }
  writeFileSync(STAMP, sources)
  return 0
}

if (realpathSync(process.argv[1] ?? '') === realpathSync(fileURLToPath(import.meta.url))) {
  process.exitCode = build(hashSources(SOURCES), process.execPath)
}
