/**
 * The step before `npm pack`: puts into out/package what the npm package holds beside the launcher. npm itself adds
 * README, licence and package.json, and installs libraries and Node with the package.
 */
import { join } from 'node:path'
import { buildIfStale, PROGRAM } from '../../src-main/cli/build.mjs'
import { stageCore } from './stage-core.ts'

const ROOT = join(import.meta.dirname, '..', '..')

process.exitCode = buildIfStale(PROGRAM, process.execPath)
if (process.exitCode === 0) stageCore({ root: ROOT, to: join(ROOT, 'out', 'package') })
