/**
 * File exclusions in left_out.json, for watchers and transfers. Builds apply them in
 * resources/python/svc_build/_files.py.
 */
import ignore from 'ignore'
import groups from '../../../../resources/python/svc_build/left_out.json' with { type: 'json' }

// Vim creates this file to test write access and removes it at once.
const PROBE_OF_VIM = '4913'

const tools = ignore({ ignorecase: false }).add(groups.tools)
const leftAlone = ignore({ ignorecase: false }).add([...groups.tools, ...groups.environments, PROBE_OF_VIM])
const credentials = ignore().add(groups.credentials)

export function isLeftAlone(name: string): boolean {
  return leftAlone.ignores(name) || leftAlone.ignores(`${name}/`)
}

type PatternPath = string

export const isOfTool = (path: PatternPath): boolean => tools.ignores(path)

export const holdsCredentials = (path: PatternPath): boolean => credentials.ignores(path)

/**
 * Ignores interpreter environments and names in the ignore file.
 * @param text of the ignore file, which may re-include files
 */
export function createIgnoreRule(text: string): (path: PatternPath) => boolean {
  const rules = ignore({ ignorecase: false }).add(groups.environments).add(text)
  return (path) => rules.ignores(path)
}

/** File names that identify a data folder of this program, which holds keys. */
export const DATA_FOLDER: readonly string[] = groups.dataFolder
