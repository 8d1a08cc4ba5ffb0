/**
 * Streams JSON lines and CSV into bodies of `run`, numbered by line, holding one line at a time. Invalid lines are
 * reported and never become inputs.
 */
import { limit } from '../../../contract/limits.ts'
import { isRecord, plainJson } from '../../../lib/json/plain.ts'
import { counted, sizeText } from '../../../lib/text.ts'

export type FileLine =
  | { readonly line: number; readonly request: string }
  | { readonly line: number; readonly problem: string }

export type FileFormat = 'jsonl' | 'csv'

export async function* readInputs(pieces: AsyncIterable<string>, format: FileFormat): AsyncGenerator<FileLine> {
  const most = limit('batchInputs')
  let inputs = 0
  for await (const one of format === 'csv' ? csvInputs(linesOf(pieces)) : jsonInputs(linesOf(pieces))) {
    if ('request' in one) inputs += 1
    if (inputs > most) {
      yield { line: one.line, problem: `one more than a batch holds, which is ${most} inputs` }
      return
    }
    yield one
  }
}

type Line = { readonly line: number; readonly text: string } | { readonly line: number; readonly problem: string }

const TOO_LONG = `longer than ${sizeText(limit('runBodyBytes'))}, which an input has at most`

async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<Line> {
  const most = limit('runBodyBytes')
  let line = 1
  let parts: string[] = []
  let length = 0
  const end = (): Line => {
    const text = parts.join('')
    const found: Line =
      length > most ? { line, problem: TOO_LONG } : { line, text: text.endsWith('\r') ? text.slice(0, -1) : text }
    parts = []
    length = 0
    line += 1
    return found
  }
  const add = (text: string) => {
    length += text.length
    if (length <= most) parts.push(text)
    else parts = []
  }
  for await (const piece of pieces) {
    const [first = '', ...more] = (line === 1 && length === 0 ? piece.replace(/^\uFEFF/, '') : piece).split('\n')
    add(first)
    for (const text of more) {
      yield end()
      add(text)
    }
  }
  if (length > 0) yield end()
}

async function* jsonInputs(lines: AsyncIterable<Line>): AsyncGenerator<FileLine> {
  for await (const one of lines) {
    if ('problem' in one) yield one
    else if (one.text.trim() !== '') yield jsonInput(one.line, one.text.trim())
  }
}

function jsonInput(line: number, text: string): FileLine {
  const value = plainJson(text)
  if (value === undefined) return { line, problem: 'not valid JSON' }
  if (!isRecord(value)) return { line, problem: 'not an object: an input is like {"prompt": "a boat"}' }
  return fitting(line, Object.hasOwn(value, 'input') ? text : `{"input":${text}}`)
}

const fitting = (line: number, request: string): FileLine =>
  request.length > limit('runBodyBytes') ? { line, problem: TOO_LONG } : { line, request }

// A row ends where its quotes are balanced: RFC 4180 doubles quotes within a cell.
async function* csvInputs(lines: AsyncIterable<Line>): AsyncGenerator<FileLine> {
  let names: readonly string[] | undefined
  let open: { line: number; text: string } | undefined
  for await (const one of lines) {
    if ('problem' in one) {
      yield open === undefined ? one : { line: open.line, problem: TOO_LONG }
      if (names === undefined) return
      open = undefined
      continue
    }
    const row = open === undefined ? { ...one } : { line: open.line, text: `${open.text}\n${one.text}` }
    if (row.text.length > limit('runBodyBytes')) {
      yield { line: row.line, problem: 'a quote is not closed' }
      return
    }
    open = quotes(row.text) % 2 === 1 ? row : undefined
    if (open !== undefined || row.text.trim() === '') continue
    const cells = cellsOf(row.text)
    if (names === undefined) {
      const why = typeof cells === 'string' ? cells : headerProblem(cells)
      if (why !== undefined) return yield { line: row.line, problem: `${why}, and it is the header` }
      names = cells as readonly string[]
    } else yield csvInput(row.line, names, cells)
  }
  if (open !== undefined) yield { line: open.line, problem: 'a quote is not closed' }
}

const quotes = (text: string) => text.split('"').length - 1

function headerProblem(names: readonly string[]): string | undefined {
  const empty = names.findIndex((name) => name.trim() === '')
  if (empty >= 0) return `column ${empty + 1} has no name`
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  return twice === undefined ? undefined : `two columns are called ${twice}`
}

function csvInput(line: number, names: readonly string[], cells: readonly string[] | string): FileLine {
  if (typeof cells === 'string') return { line, problem: cells }
  if (cells.length !== names.length)
    return { line, problem: `${counted(cells.length, 'cell')}, but the header has ${names.length}` }
  const fields = names.flatMap((name, at) => {
    const value = cellJson(cells[at] ?? '')
    return value === undefined ? [] : [`${JSON.stringify(name)}:${value}`]
  })
  return fitting(line, `{"input":{${fields.join(',')}}}`)
}

function cellsOf(text: string): readonly string[] | string {
  const cells: string[] = []
  for (let at = 0; ; at += 1) {
    let cell = ''
    if (text[at] === '"') {
      do {
        const end = text.indexOf('"', at + 1)
        if (end < 0) return 'a quote is not closed'
        cell += text.slice(at + 1, end)
        at = end + 1
        if (text[at] === '"') cell += '"'
      } while (text[at] === '"')
      if (at < text.length && text[at] !== ',') return 'text follows a closed quote'
    } else {
      const end = text.indexOf(',', at)
      cell = text.slice(at, end < 0 ? text.length : end)
      if (cell.includes('"')) return 'a quote is inside a cell that does not begin with one'
      at += cell.length
    }
    cells.push(cell)
    if (at >= text.length) return cells
  }
}

const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/** Empty cells are omitted, JSON is parsed, all else is text. So 007 is text, and `"7"` with its quotes too. */
function cellJson(cell: string): string | undefined {
  if (cell === '') return undefined
  if (SCALAR.test(cell)) return cell
  return /^[[{"]/.test(cell) && plainJson(cell) !== undefined ? cell : JSON.stringify(cell)
}

export type CheckedFile = { readonly total: number; readonly problems: readonly string[] }

const PROBLEMS_SHOWN = 20

/**
 * Validates the whole file before sending any of it.
 * @param onInput receives each input, to identify the file later
 */
export async function checkInputs(
  lines: AsyncIterable<FileLine>,
  onInput: (text: string) => void = () => undefined,
): Promise<CheckedFile> {
  const problems: string[] = []
  let total = 0
  let broken = 0
  for await (const one of lines) {
    if ('problem' in one) {
      broken += 1
      if (problems.length < PROBLEMS_SHOWN) problems.push(`line ${one.line}: ${one.problem}`)
    } else {
      total += 1
      onInput(`${one.line} ${one.request}\n`)
    }
  }
  if (broken > problems.length) problems.push(`and ${counted(broken - problems.length, 'line')} more`)
  if (broken === 0 && total === 0) problems.push('it holds no input')
  return { total, problems }
}

export type Piece = { readonly from: number; readonly text: string; readonly inputs: number }

// Held at once; source: ours, so that an interrupted upload resends little.
const PIECE_LENGTH = 4 * 1024 * 1024

export async function* piecesOf(lines: AsyncIterable<FileLine>, after: number): AsyncGenerator<Piece> {
  let from = 0
  let next = 0
  let inputs = 0
  let text = ''
  for await (const one of lines) {
    if ('problem' in one || one.line <= after) continue
    const isFull =
      one.line - from >= limit('batchPieceLines') || text.length + one.request.length > PIECE_LENGTH || inputs === 0
    if (isFull) {
      if (inputs > 0) yield { from, text, inputs }
      from = one.line
      next = one.line
      inputs = 0
      text = ''
    }
    text += `${'\n'.repeat(one.line - next)}${one.request}\n`
    next = one.line + 1
    inputs += 1
  }
  if (inputs > 0) yield { from, text, inputs }
}
