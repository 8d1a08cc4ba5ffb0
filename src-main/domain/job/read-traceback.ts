/** The calls of a traceback, and where their files are on this machine. */
import { CODE_FOLDER } from '../../contract/container.ts'
import type { EndpointConfig } from '../../contract/endpoint.ts'

/** One call of a traceback. */
export type TracebackFrame = {
  readonly kind: 'frame'
  /** As the worker names it; absolute but for what was run from a text. */
  readonly file: string
  readonly line: number
  /** Of Python also `<module>`; missing where the runtime does not say. */
  readonly name?: string
  /** Source lines as the traceback has them, without what all are indented by. */
  readonly code: readonly string[]
  /** Whether it is in the user's own code, and not in a library, a runtime or what comes with Drydock. */
  readonly isOwn: boolean
}

/** A call, or a text between calls, like the error that another one came from. */
export type TracebackPart = TracebackFrame | { readonly kind: 'text'; readonly text: string }

const HEADER = /^Traceback \(most recent call last\):$/
const PYTHON_FRAME = /^ {2}File "(.+)", line (\d+)(?:, in (.+))?$/
const REPEATED = /^ {2}\[Previous line repeated \d+ more times?\]$/
// `at name (file:///app/handler.ts:3:9)`, and without a name the file alone.
const NODE_FRAME = /^\s+at (?:(.+) \()?((?:file:\/\/)?\/[^()]+?):(\d+)(?::\d+)?\)?$/

// Where packages and standard libraries are, as Python and Node install them.
const LIBRARY = /[\\/](?:site-packages|dist-packages|node_modules|lib[\\/]python3(?:\.\d+)?|Python3\d+[\\/]Lib)[\\/]/i
// The runtimes that come with Drydock: in a container, beside the service, in an app.
const RUNTIME = /[\\/](?:opt[\\/]drydock|resources[\\/](?:python|node)|svc_worker|svc-worker|runpod_flash)[\\/]/

/**
 * Reads a traceback of Python or a stack of Node into its calls, in the order that it has them.
 * @param headline type and message of the error, which are shown apart: the text that only repeats them is left out
 */
export function readTraceback(traceback: string, headline: string): readonly TracebackPart[] {
  const parts: TracebackPart[] = []
  let text: string[] = []
  const endText = () => {
    const joined = text.join('\n').trim()
    text = []
    if (joined !== '' && !repeats(joined, headline)) parts.push({ kind: 'text', text: joined })
  }
  for (const line of traceback.split('\n')) {
    const last = parts.at(-1)
    const frame = frameOf(line)
    if (frame !== undefined) {
      endText()
      parts.push(frame)
    } else if (last?.kind === 'frame' && text.length === 0 && line.startsWith('    ')) {
      parts[parts.length - 1] = { ...last, code: [...last.code, line.slice(4)] }
    } else if (HEADER.test(line)) endText()
    else if (REPEATED.test(line)) {
      endText()
      parts.push({ kind: 'text', text: line.trim() })
    } else text.push(line)
  }
  endText()
  return parts
}

function frameOf(line: string): TracebackFrame | undefined {
  const python = PYTHON_FRAME.exec(line)
  if (python !== null) return frame(python[1], python[2], python[3])
  const node = NODE_FRAME.exec(line)
  return node === null ? undefined : frame(node[2], node[3], node[1])
}

function frame(location = '', line = '', name: string | undefined): TracebackFrame {
  const file = location.replace(/^file:\/\//, '')
  return {
    kind: 'frame',
    file,
    line: Number(line),
    ...(name === undefined ? {} : { name }),
    code: [],
    isOwn: !file.startsWith('<') && !LIBRARY.test(file) && !RUNTIME.test(file),
  }
}

// Python writes the type with its module, and its own line for an error without a message.
function repeats(text: string, headline: string): boolean {
  return text.replace(/^(?:\w+\.)+(?=\w+(?:: |$))/, '') === headline.trim()
}

/**
 * A folder with code as workers name it, and where the same files are on this machine. Both absolute, without a slash
 * at the end.
 */
type CodeFolder = { readonly inWorker: string; readonly here: string }

/** Where code of an endpoint may be. `isHere`: its workers name files of this machine. */
export type CodeFolders = { readonly isHere: boolean; readonly folders: readonly CodeFolder[] }

type Program = Pick<EndpointConfig, 'handler' | 'container' | 'app'>

/**
 * Where the code that an endpoint's workers run is on this machine. Of an app they run a copy; what a person changes is
 * in the project.
 * @param project folder of the project that the app is deployed from; undefined: it is not known here
 */
export function codeFoldersOf({ handler, container, app }: Program, project: string | undefined): CodeFolders {
  const folder = handler === undefined ? undefined : folderOf(handler)
  const mine = app === undefined ? folder : (project ?? folder)
  if (container === undefined) {
    const isCopy = app !== undefined && folder !== undefined && mine !== undefined
    return { isHere: true, folders: isCopy ? [{ inWorker: folder, here: mine }] : [] }
  }
  const volumes = container.volumes
    .filter(({ source }) => source.startsWith('/'))
    .map(({ source, target }) => ({
      inWorker: target,
      here: app !== undefined && target === CODE_FOLDER ? (project ?? source) : source,
    }))
  return {
    isHere: false,
    folders: mine === undefined ? volumes : [{ inWorker: CODE_FOLDER, here: mine }, ...volumes],
  }
}

/** The file of this machine that a file of a worker is; undefined: it is in an image, or no file. */
export function fileHere(file: string, { isHere, folders }: CodeFolders): string | undefined {
  const found = folders.find(({ inWorker }) => file.startsWith(`${inWorker}/`))
  if (found !== undefined) return `${found.here}${file.slice(found.inWorker.length)}`
  return isHere && /^(?:\/|[A-Za-z]:[\\/])/.test(file) ? file : undefined
}

const folderOf = (file: string) => file.slice(0, Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')))
