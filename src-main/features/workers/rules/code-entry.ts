import { type EndpointConfig, isHandlerFile } from '../../../contract/endpoint.ts'
import { splitWords } from '../../../lib/text.ts'

export type CodeEntry = { readonly folder: string; readonly file: string; readonly isModule?: true }

/**
 * Finds the handler or the command's file or module, as in `python3 worker.py` or `uvicorn app:app`.
 * @returns undefined if unknown, in an image, in a release, or self-reloading
 */
export function codeEntryOf(config: EndpointConfig): CodeEntry | undefined {
  const { handler, command, cwd, container, app, reloadOnSave } = config
  if (app !== undefined || reloadOnSave === false) return undefined
  if (handler !== undefined) return splitPath(handler)
  if (command === undefined || cwd === undefined || container !== undefined) return undefined
  const words = splitWords(command) ?? []
  if (words.includes('--reload')) return undefined
  return fileIn(cwd, words) ?? moduleIn(cwd, words)
}

const MODULE = /^[A-Za-z_]\w*(?:\.\w+)*$/
const APP_OF_MODULE = /^([A-Za-z_]\w*(?:\.\w+)*):[A-Za-z_]\w*(?:\(\))?$/

// Options with a file that is never the program, as in `gunicorn -c gunicorn.conf.py app:app`.
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
