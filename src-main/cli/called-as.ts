import { delimiter, dirname, relative } from 'node:path'
import type { Surroundings } from './surroundings.ts'

type Caller = Pick<Surroundings, 'env' | 'cwd'>

/**
 * How the caller starts this command line, as hints say it: `drydock` where a shell finds it, `npx drydock` in a clone or a
 * package of npm, else the path that was called.
 */
export function calledAs({ env, cwd }: Caller): string {
  if (env.npm_command === 'exec' || env.npm_lifecycle_event !== undefined) return 'npx drydock'
  // Set by the launchers, which know by which path they were called.
  const path = env.DRYDOCK_CALLED_BY
  if (!path || (env.PATH ?? '').split(delimiter).includes(dirname(path))) return 'drydock'
  const short = relative(cwd, path)
  const shown = short.startsWith('..') ? path : short.includes('/') ? short : `./${short}`
  return path.endsWith('.mjs') ? `node ${shown}` : shown
}

// A command in a sentence; not the beginning of a path or a name.
const COMMAND = /(?<![\w/.$-])drydock (?=[a-z-])/g

/** A hint as the caller can type it. @param text with commands as `drydock deploy` */
export function asCalled(text: string, caller: Caller): string {
  const name = calledAs(caller)
  return name === 'drydock' ? text : text.replace(COMMAND, `${name} `)
}
