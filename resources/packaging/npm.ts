/**
 * `npm run package:npm [-- FOLDER]` makes the npm package in dist/ or FOLDER; npm installs unbundled libraries and the
 * platform's Node.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PINNED } from '../../src-main/app/cli/set-up.mjs'
import { NOT_BUNDLED } from '../../src-main/vite.config.ts'
import { LIBRARIES_OF_PROGRAMS } from './build-programs.ts'
import { stageCore } from './stage-core.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const PACKAGE = join(ROOT, 'out', 'package')
const TO = process.argv[2] ?? join(ROOT, 'dist')
const LAUNCHER = ['drydock.mjs', 'allocator.mjs', 'arguments.mjs', 'set-up.mjs', 'steps.mjs'].map(
  (name) => `src-main/app/cli/${name}`,
)

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))

stageCore({ root: ROOT, to: PACKAGE })
for (const path of [...LAUNCHER, 'README.md', 'CHANGELOG.md']) cpSync(join(ROOT, path), join(PACKAGE, path))
writeFileSync(join(PACKAGE, 'package.json'), JSON.stringify(manifest(), null, 2))
mkdirSync(TO, { recursive: true })
const options = ['--pack-destination', TO, '--loglevel=error']
const name = execFileSync('npm', ['pack', PACKAGE, ...options], {
  encoding: 'utf8',
  shell: process.platform === 'win32',
})
process.stdout.write(`${join(TO, name.trim())}\n`)

function manifest() {
  const { name, version, description, license, type, bin, engines, dependencies } = readJson('package.json')
  const { optionalDependencies } = readJson(`${PINNED}/package.json`)
  const libraries = [...NOT_BUNDLED, ...LIBRARIES_OF_PROGRAMS].map((library) => [library, dependencies[library]])
  return {
    ...{ name, version, description, license, private: true, type, bin, engines },
    // Without this list, npm omits files named by a .gitignore in the templates.
    files: ['out', 'resources', 'src-main', 'CHANGELOG.md'],
    dependencies: Object.fromEntries(libraries),
    optionalDependencies,
  }
}
