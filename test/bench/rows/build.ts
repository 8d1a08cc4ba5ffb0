import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAppBuilder } from '../../../src-main/app/app-builder/create-app-builder.ts'
import type { BuildResult } from '../../../src-main/contract/build.ts'
import { makeWheels, onlyWheelsOf } from '../../support/wheels.ts'
import { bounded, type Row } from '../report.ts'
import { median } from '../statistics.ts'
import { withFolder } from '../support/folders.ts'

const FILES = 2000
const PER_FOLDER = 100
// One module in twenty has an endpoint: more than any app that we know.
const PER_ENDPOINT = 20
// About the size of a data package: 40 MB of text that compresses to a third.
const PACKAGE_FILES = 400
const PACKAGE_FILE_LINES = 2500
const SCAN_AND_PACK_MS = 2000
const REBUILD_MS = 500

/** Discovery and archive of a large project, and a build after a change of code whose packages are there. */
export function buildTimes(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const large = join(folder, 'large')
    writeProject(large, FILES)
    const small = join(folder, 'small')
    writeProject(small, PER_FOLDER)
    const wheels = join(folder, 'wheels')
    mkdirSync(wheels)
    writePackage(wheels)
    writeFileSync(join(small, 'requirements.txt'), 'large-package\n')
    const build = createAppBuilder({ env: { ...process.env, ...onlyWheelsOf(wheels) } })
    const run = (project: string) => build({ project, app: 'bench', output: join(project, '.svc', 'artifact.tar.gz') })
    const first = await run(small)
    const results: BuildResult[] = []
    const rebuilt: BuildResult[] = []
    for (let round = 0; round < rounds; round++) {
      results.push(await run(large))
      writeFileSync(join(small, 'changed.py'), `ROUND = ${round}\n`)
      rebuilt.push(await run(small))
    }
    const packages = `${Math.round((first.packages[0]?.bytes ?? 0) / 1e6)} MB of packages`
    return [
      bounded(
        `build of ${FILES} files: discovery and archive`,
        median(results.map(scanAndPack)),
        SCAN_AND_PACK_MS,
        'ms',
      ),
      bounded(
        `rebuild after a change of code, ${packages} cached`,
        median(rebuilt.map(({ tookMs }) => tookMs)),
        REBUILD_MS,
        'ms',
      ),
    ]
  })
}

function scanAndPack({ steps }: BuildResult): number {
  return steps.filter(({ step }) => step !== 'install').reduce((sum, { tookMs }) => sum + tookMs, 0)
}

function writeProject(folder: string, files: number): void {
  for (let at = 0; at < files; at++) {
    const inner = join(folder, `part_${Math.floor(at / PER_FOLDER)}`)
    mkdirSync(inner, { recursive: true })
    writeFileSync(join(inner, `module_${at}.py`), at % PER_ENDPOINT === 0 ? endpointModule(at) : plainModule(at))
  }
}

function endpointModule(at: number): string {
  return `from svc import Endpoint\n\n\n@Endpoint(name="endpoint-${at}", cpu="cpu3c-1-2")\ndef run_${at}(x: int = 1):\n    return x\n\n\n${plainModule(at)}`
}

function plainModule(at: number): string {
  const functions = Array.from(
    { length: 20 },
    (_, n) => `def part_${at}_${n}(a, b=None):\n    """Adds."""\n    return a if b is None else a + b\n`,
  )
  return `import json\nimport os\n\n\n${functions.join('\n\n')}`
}

function writePackage(folder: string): void {
  const files = Object.fromEntries(
    Array.from({ length: PACKAGE_FILES }, (_, file) => [
      `large_package/m${file}.py`,
      Array.from(
        { length: PACKAGE_FILE_LINES },
        (_, line) => `V${line} = ${(file * 7919 + line * 104729) % 1e9}  # a value\n`,
      ).join(''),
    ]),
  )
  makeWheels(folder, [{ name: 'large-package', files }])
}
