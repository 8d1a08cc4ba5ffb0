/**
 * Names of files that are left out, from left_out.json. Builds apply them in resources/python/svc_build/_files.py; here
 * they serve watchers, and transfers of files to other machines.
 */
import ignore from 'ignore'
import groups from '../../../resources/python/svc_build/left_out.json' with { type: 'json' }

// Vim makes this file to find out whether it may write, and removes it at once.
const PROBE_OF_VIM = '4913'

const tools = ignore({ ignorecase: false }).add(groups.tools)
const leftAlone = ignore({ ignorecase: false }).add([...groups.tools, ...groups.environments, PROBE_OF_VIM])
const credentials = ignore().add(groups.credentials)

/** Whether a watcher of a project leaves an entry of this name alone, with all below it. */
export function isLeftAlone(name: string): boolean {
  return leftAlone.ignores(name) || leftAlone.ignores(`${name}/`)
}

/** A path as patterns see it: relative, with forward slashes, and one at the end of a folder. */
type PatternPath = string

/** Whether it belongs to a tool, like `.git`. */
export const isOfTool = (path: PatternPath): boolean => tools.ignores(path)

/** Whether files of such a name hold credentials. */
export const holdsCredentials = (path: PatternPath): boolean => credentials.ignores(path)

/**
 * Makes the rule of one folder: environments of interpreters are left out, and so are the files that its ignore file
 * names.
 * @param text of the ignore file, which may bring files back
 */
export function createIgnoreRule(text: string): (path: PatternPath) => boolean {
  const rules = ignore({ ignorecase: false }).add(groups.environments).add(text)
  return (path) => rules.ignores(path)
}

/** Names of the files by which a data folder of this program, with its keys, is known. */
export const DATA_FOLDER: readonly string[] = groups.dataFolder
