import { CODE_FOLDER } from '../../../contract/container.ts'
import type { EndpointConfig } from '../../../contract/endpoint.ts'

export type TracebackFrame = {
  readonly kind: 'frame'
  /** As the worker names it; absolute unless it ran from text. */
  readonly file: string
  readonly line: number
  /** `<module>` in Python; undefined if the runtime does not say. */
  readonly name?: string
  readonly code: readonly string[]
  /** True for user code, not libraries, runtimes or Drydock's. */
  readonly isOwn: boolean
}

export type TracebackPart = TracebackFrame | { readonly kind: 'text'; readonly text: string }

const HEADER = /^Traceback \(most recent call last\):$/
const PYTHON_FRAME = /^ {2}File "(.+)", line (\d+)(?:, in (.+))?$/
const REPEATED = /^ {2}\[Previous line repeated \d+ more times?\]$/
const NODE_FRAME = /^\s+at (?:(.+) \()?((?:file:\/\/)?\/[^()]+?):(\d+)(?::\d+)?\)?$/

// Where Python and Node install packages and standard libraries.
const LIBRARY = /[\\/](?:site-packages|dist-packages|node_modules|lib[\\/]python3(?:\.\d+)?|Python3\d+[\\/]Lib)[\\/]/i
const RUNTIME = /[\\/](?:opt[\\/]drydock|resources[\\/](?:python|node)|svc_worker|svc-worker|runpod_flash)[\\/]/

/**
 * Parses Python tracebacks and Node stacks in their order.
 * @param headline shown separately, so text that repeats it is dropped
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

// Python writes the type with its module, and a line for errors without a message.
function repeats(text: string, headline: string): boolean {
  return text.replace(/^(?:\w+\.)+(?=\w+(?:: |$))/, '') === headline.trim()
}

type CodeFolder = { readonly inWorker: string; readonly here: string }

export type CodeFolders = { readonly isHere: boolean; readonly folders: readonly CodeFolder[] }

type Program = Pick<EndpointConfig, 'handler' | 'container' | 'app'>

/**
 * Maps worker code to local folders; app workers run copies of the project.
 * @param project undefined: unknown
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

export function fileHere(file: string, { isHere, folders }: CodeFolders): string | undefined {
  const found = folders.find(({ inWorker }) => file.startsWith(`${inWorker}/`))
  if (found !== undefined) return `${found.here}${file.slice(found.inWorker.length)}`
  return isHere && /^(?:\/|[A-Za-z]:[\\/])/.test(file) ? file : undefined
}

const folderOf = (file: string) => file.slice(0, Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')))
