/** Which file of this machine the workers of an endpoint run, so that a save of it can be noticed. */
import { type EndpointConfig, isHandlerFile } from '../../contract/endpoint.ts'
import { splitWords } from '../text.ts'

/**
 * A file that is run, and the absolute folder that its imports begin from. A module is named by the file that it would
 * be; it may be a package instead.
 */
export type CodeEntry = { readonly folder: string; readonly file: string; readonly isModule?: true }

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
  return fileIn(cwd, words) ?? moduleIn(cwd, words)
}

const MODULE = /^[A-Za-z_]\w*(?:\.\w+)*$/
// As servers of web apps name it: the module, and the app in it.
const APP_OF_MODULE = /^([A-Za-z_]\w*(?:\.\w+)*):[A-Za-z_]\w*(?:\(\))?$/

// Its value is never the program, like in `gunicorn -c gunicorn.conf.py app:app`.
const CONFIG_OPTION = /^(?:-c|--(?:log-)?config)$/

function fileIn(cwd: string, words: readonly string[]): CodeEntry | undefined {
  const file = words.find((word, at) => isHandlerFile(word) && !CONFIG_OPTION.test(words[at - 1] ?? ''))
  if (file === undefined) return undefined
  return splitPath(file.startsWith('/') ? file : `${cwd}/${file.replace(/^\.\//, '')}`)
}

// `-m` often names a launcher, like `python -m uvicorn app:app`.
function moduleIn(cwd: string, words: readonly string[]): CodeEntry | undefined {
  const ofApp = words.map((word) => APP_OF_MODULE.exec(word)?.[1]).find((found) => found !== undefined)
  const module = ofApp ?? words.find((word, at) => words[at - 1] === '-m' && MODULE.test(word))
  return module === undefined ? undefined : { folder: cwd, file: `${module.replaceAll('.', '/')}.py`, isModule: true }
}

function splitPath(path: string): CodeEntry {
  const at = path.search(/[\\/][^\\/]*$/)
  return { folder: path.slice(0, at) || '/', file: path.slice(at + 1) }
}
