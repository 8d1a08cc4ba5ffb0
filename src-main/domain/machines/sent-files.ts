/** Which files of a folder are sent to another machine. Source: docs/spec/machines.md, 5. */
import { createIgnoreRule, holdsCredentials, isOfTool } from '../app/left-out.ts'

/**
 * Whose folder it is. `packed`: an app as it was built, in which everything has its use; `project`: a folder in which
 * somebody works.
 */
export type FolderKind = 'packed' | 'project'

/** The decision about an entry and all below it. `withheld`: left out and reported, because it holds credentials. */
export type SentOrNot = 'sent' | 'left out' | 'withheld'

// Python writes it anew for its own version, and not into what it may only read.
const COMPILED = /(^|\/)(__pycache__\/?|[^/]*\.py[co])$/
// A handler may read files from a folder of this name.
const MAY_BE_READ = '!env/'

/**
 * Makes the rule for a folder.
 * @param ignoreFile text of its `.runpodignore`
 * @returns decides about a path relative to it, with a slash at the end of a folder
 */
export function createSentRule(kind: FolderKind, ignoreFile: string): (path: string) => SentOrNot {
  const isIgnored = createIgnoreRule(`${MAY_BE_READ}\n${ignoreFile}`)
  return (path) => {
    if (COMPILED.test(path)) return 'left out'
    if (kind === 'packed') return 'sent'
    if (holdsCredentials(path)) return 'withheld'
    return isOfTool(path) || isIgnored(path) ? 'left out' : 'sent'
  }
}

/** Name of the file by which a virtual environment is known: its programs lead to those of this machine. Source: PEP 405. */
export const VIRTUAL_ENVIRONMENT = 'pyvenv.cfg'

/** Name of the ignore file of a project. */
export const IGNORE_FILE = '.runpodignore'
