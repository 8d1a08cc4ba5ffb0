/** Which files of a folder are sent to another machine. */
import { isLeftAlone } from '../app/left-out.ts'

/**
 * Whose folder it is. `packed`: an app as it was built, in which everything has its use; `project`: a folder in which
 * somebody works.
 */
export type FolderKind = 'packed' | 'project'

// Of an app's project these are in no build; the folder of a handler may have what it reads under such a name.
const MAY_BE_READ = new Set(['env', 'build', 'dist', 'tests', 'docs'])
// Values that are nobody's but of this machine, as in builds. Source: docs/spec/app-deploy.md, 4.
const SECRETS = /^\.env/
// Python writes it anew for its own version, and not into what it may only read.
const COMPILED = /^__pycache__$|\.py[co]$/

/** Whether an entry of this name is sent, with all below it. A virtual environment is known by what is in it. */
export function isSent(name: string, kind: FolderKind): boolean {
  if (COMPILED.test(name)) return false
  return kind === 'packed' || ((!isLeftAlone(name) || MAY_BE_READ.has(name)) && !SECRETS.test(name))
}

/** Name of the file by which a virtual environment is known: its programs lead to those of this machine. Source: PEP 405. */
export const VIRTUAL_ENVIRONMENT = 'pyvenv.cfg'

/** Name of the file by which a data folder of this program is known: it holds keys, whoever has a handler beside it. */
export const DATA_FOLDER = 'account.key'
