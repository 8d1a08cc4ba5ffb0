import { createIgnoreRule, holdsCredentials, isOfTool } from '../../apps/rules/left-out.ts'

/** `packed`: a built app, sent completely; `project`: a folder in which somebody works. */
export type FolderKind = 'packed' | 'project'

/** `withheld`: left out and reported, because it holds credentials. */
export type SentOrNot = 'sent' | 'left out' | 'withheld'

// Python regenerates bytecode for its version, unless it may only read.
const COMPILED = /(^|\/)(__pycache__\/?|[^/]*\.py[co])$/
// Handlers may read files from a folder of this name.
const MAY_BE_READ = '!env/'

/**
 * @param ignoreFile text of `.runpodignore`
 * @returns decides on a relative path, with a trailing slash for folders
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

/** Marks a virtual environment, whose programs link to those of this machine. Source: PEP 405. */
export const VIRTUAL_ENVIRONMENT = 'pyvenv.cfg'

export const IGNORE_FILE = '.runpodignore'
