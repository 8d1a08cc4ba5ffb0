/**
 * The step before `npm pack`, after the builds: puts into out/package what the npm package holds beside the launcher.
 * npm itself adds README, licence and package.json, and installs libraries and Node with the package.
 */
import { join } from 'node:path'
import { stageCore } from './stage-core.ts'

const ROOT = join(import.meta.dirname, '..', '..')

stageCore({ root: ROOT, to: join(ROOT, 'out', 'package') })
