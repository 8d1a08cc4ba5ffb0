import { delimiter, dirname, relative, sep } from 'node:path'
/** Who calls: variables and folder of the process. */
export type Caller = { readonly env: Readonly<Record<string, string | undefined>>; readonly cwd: string }

/**
 * How the caller starts this command line, as hints say it: `drydock` where a shell finds it, `npx drydock` in a clone
 * or a package of npm, else the path that was called.
 */
export function calledAs({ env, cwd }: Caller): string {
  if (env.npm_command === 'exec' || env.npm_lifecycle_event !== undefined) return 'npx drydock'
  // Set by the launchers, which know by which path they were called.
  const path = env.DRYDOCK_CALLED_BY
  if (!path || (env.PATH ?? '').split(delimiter).includes(dirname(path))) return 'drydock'
  const short = relative(cwd, path)
  const shown = short.startsWith('..') ? path : /[\\/]/.test(short) ? short : `.${sep}${short}`
  return path.endsWith('.mjs') ? `node ${shown}` : shown
}
