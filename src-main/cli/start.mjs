/**
 * `npm start`: installs and builds what a start needs, and starts, in one process, so that the time that is printed at
 * the end counts all of it. It has no dependencies and no TypeScript, because nothing may be installed yet.
 */
import { setUp } from './set-up.mjs'

process.env.DRYDOCK_BEGUN_AT = String(performance.timeOrigin)
const code = await setUp({ build: true })
if (code === 0) {
  process.argv.splice(2, 0, 'start')
  await import('./drydock.mjs')
} else process.exitCode = code
