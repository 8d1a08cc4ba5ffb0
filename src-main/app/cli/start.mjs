/**
 * `npm start` does all in one process, so that the printed time covers everything. It uses no dependencies or
 * TypeScript.
 */
import { setUp } from './set-up.mjs'

process.env.DRYDOCK_BEGUN_AT = String(performance.timeOrigin)
const code = await setUp({ build: true })
if (code === 0) {
  process.argv.splice(2, 0, 'start')
  await import('./drydock.mjs')
} else process.exitCode = code
