/**
 * `npm start`: installs and builds what a start needs, and starts, in one process, so that the time that is printed at
 * the end counts all of it. It has no dependencies and no TypeScript, because nothing may be installed yet.
 */
import { fileURLToPath } from 'node:url'
import { setUp } from './set-up.mjs'

process.env.DRYDOCK_BEGUN_AT = String(performance.timeOrigin)
const code = await setUp({ build: true })
if (code === 0) {
  // In the place of this file, so that hints name the launcher.
  process.argv.splice(1, 1, fileURLToPath(new URL('drydock.mjs', import.meta.url)), 'start')
  await import('./drydock.mjs')
} else process.exitCode = code
