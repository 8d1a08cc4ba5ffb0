/** Which file of this machine the workers of an endpoint run, so that a save of it can be noticed. */
import { type EndpointConfig, isHandlerFile } from '../../contract/endpoint.ts'
import { splitWords } from '../text.ts'

/** A file that is run, and the absolute folder that its imports begin from. */
export type CodeEntry = { readonly folder: string; readonly file: string }

/**
 * Finds it: the handler, or the file or module that a command names, like `python3 worker.py` or `uvicorn app:app`.
 * @returns undefined where it is in an image, not known, never changes as in a release, or reloads by itself
 */
export function codeEntryOf({
  handler,
  command,
  cwd,
  container,
  app,
  reloadOnSave,
}: EndpointConfig): CodeEntry | undefined {
  if (app !== undefined || reloadOnSave === false) return undefined
  if (handler !== undefined) return splitPath(handler)
  if (command === undefined || cwd === undefined || container !== undefined) return undefined
  const words = splitWords(command) ?? []
  if (words.includes('--reload')) return undefined
  return words.map((word, at) => entryOfWord(cwd, word, words[at - 1])).find((entry) => entry !== undefined)
}

const MODULE = /^[A-Za-z_]\w*(?:\.\w+)*$/
// As servers of web apps name it: the module, and the app in it.
const APP_OF_MODULE = /^([A-Za-z_]\w*(?:\.\w+)*):[A-Za-z_]\w*(?:\(\))?$/

function entryOfWord(cwd: string, word: string, before: string | undefined): CodeEntry | undefined {
  if (isHandlerFile(word)) return splitPath(word.startsWith('/') ? word : `${cwd}/${word.replace(/^\.\//, '')}`)
  const module = before === '-m' && MODULE.test(word) ? word : APP_OF_MODULE.exec(word)?.[1]
  return module === undefined ? undefined : { folder: cwd, file: `${module.replaceAll('.', '/')}.py` }
}

function splitPath(path: string): CodeEntry {
  const at = path.search(/[\\/][^\\/]*$/)
  return { folder: path.slice(0, at) || '/', file: path.slice(at + 1) }
}
