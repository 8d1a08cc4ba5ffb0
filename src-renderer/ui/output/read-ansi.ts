export type AnsiPiece = { readonly text: string; readonly colour?: AnsiColour; readonly bold?: true }

export const ANSI_COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const

export type AnsiColour = (typeof ANSI_COLOURS)[number]

const ESCAPE = '\u001b'
const BELL = '\u0007'
// Only colour and bold are read; sequences that move the cursor or set a title are dropped.
const SEQUENCE = new RegExp(
  `${ESCAPE}(?:\\[([0-9;:?]*)([@-~])|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)|[@-Z\\\\^_])`,
  'g',
)
// One log line contains newlines when a program wrote a traceback at once.
const CONTROL = /[^\P{Cc}\t\n]/gu

export function readAnsi(line: string): readonly AnsiPiece[] {
  const pieces: AnsiPiece[] = []
  let style: Omit<AnsiPiece, 'text'> = {}
  let from = 0
  const add = (text: string) => {
    const clean = text.replace(CONTROL, '')
    if (clean !== '') pieces.push({ ...style, text: clean })
  }
  for (const match of line.matchAll(SEQUENCE)) {
    add(line.slice(from, match.index))
    from = match.index + match[0].length
    if (match[2] === 'm') style = styleAfter(style, match[1] ?? '')
  }
  add(line.slice(from))
  return pieces
}

function styleAfter(style: Omit<AnsiPiece, 'text'>, codes: string): Omit<AnsiPiece, 'text'> {
  let next = style
  const numbers = codes.split(/[;:]/).map(Number)
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0
    // 38 and 48 are followed by an extended colour, which is skipped: `38;5;n` or `38;2;r;g;b`.
    if (code === 38 || code === 48) at += numbers[at + 1] === 5 ? 2 : 4
    else next = withCode(next, code)
  }
  return next
}

function withCode(style: Omit<AnsiPiece, 'text'>, code: number): Omit<AnsiPiece, 'text'> {
  const { colour: _colour, ...plain } = style
  const { bold: _bold, ...light } = style
  if (code === 0) return {}
  if (code === 1) return { ...style, bold: true }
  if (code === 22) return light
  if (code === 39) return plain
  const colour = ANSI_COLOURS[code >= 90 ? code - 90 : code - 30]
  return colour !== undefined && ((code >= 30 && code <= 37) || (code >= 90 && code <= 97))
    ? { ...style, colour }
    : style
}
