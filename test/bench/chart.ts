/** A chart of lying bars as SVG: for pictures in documents, readable on light and dark pages. */

/** One bar. `short` is one that misses its target; its text says so too. */
export type Bar = {
  readonly label: string
  readonly value: number
  readonly text: string
  readonly tone: 'ours' | 'other' | 'short'
}

/** Bars under a heading, or under none. */
export type BarGroup = { readonly heading?: string; readonly bars: readonly Bar[] }

export type Chart = {
  /** Read to those who do not see it. */
  readonly title: string
  readonly groups: readonly BarGroup[]
  /** A line across all bars. */
  readonly line?: { readonly value: number; readonly text: string }
  /** Longer bars end here, with an arrow. */
  readonly most?: number
}

const WIDTH = 960
const MARGIN = 24
const LABEL = 400
const BAR = 300
const ROW = 24
const THICK = 14
const LABEL_LETTERS = 60

const STYLE = [
  'text { font: 13px Inter, system-ui, sans-serif; fill: #1e293b }',
  '.h { font-weight: 600 }',
  '.s { fill: #64748b; font-size: 12px }',
  '.page { fill: #fff; stroke: #e2e8f0 }',
  '.ours { fill: #4f46e5 } .other { fill: #94a3b8 } .short { fill: #c2410c }',
  '.line { stroke: #1e293b; stroke-dasharray: 4 3 }',
  '@media (prefers-color-scheme: dark) {',
  '  text { fill: #e2e8f0 } .s { fill: #94a3b8 }',
  '  .page { fill: #0f172a; stroke: #334155 }',
  '  .ours { fill: #818cf8 } .other { fill: #64748b } .short { fill: #fb923c }',
  '  .line { stroke: #e2e8f0 }',
  '}',
]

/** Draws it. */
export function chartSvg({ title, groups, line, most = Number.POSITIVE_INFINITY }: Chart): string {
  const bars = groups.flatMap((group) => group.bars)
  const longest = Math.min(most, Math.max(line?.value ?? 0, ...bars.map(({ value }) => value)))
  const widthOf = (value: number) => (BAR * Math.min(value, longest)) / longest
  const left = MARGIN + LABEL
  let top = MARGIN + (line === undefined ? 0 : ROW)
  const drawn: string[] = []
  for (const { heading, bars: inGroup } of groups) {
    if (heading !== undefined) {
      drawn.push(textAt(MARGIN, top + ROW - 8, heading, 'h'))
      top += ROW
    }
    for (const { label, value, text, tone } of inGroup) {
      const width = widthOf(value)
      const more = value > longest ? '→ ' : ''
      drawn.push(
        textAt(left - 12, top + 16, cut(label), undefined, 'end'),
        `<rect class="${tone}" x="${left}" y="${top + 5}" width="${width.toFixed(1)}" height="${THICK}" rx="2"/>`,
        textAt(left + width + 8, top + 16, `${more}${text}`, 's'),
      )
      top += ROW
    }
    top += heading === undefined ? 0 : ROW / 2
  }
  const height = top + MARGIN
  const across = line === undefined ? [] : lineAt(left + widthOf(line.value), MARGIN + ROW, top, line.text)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeText(title)}">`,
    '  <style>',
    ...STYLE.map((rule) => `    ${rule}`),
    '  </style>',
    `  <rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>`,
    ...[...drawn, ...across].map((element) => `  ${element}`),
    '</svg>',
    '',
  ].join('\n')
}

const lineAt = (x: number, top: number, bottom: number, text: string) => [
  `<path class="line" d="M${x.toFixed(1)} ${top}V${bottom}"/>`,
  textAt(x, top - 8, text, 's', 'middle'),
]

function textAt(x: number, y: number, text: string, kind?: string, anchor?: 'middle' | 'end'): string {
  const attributes = `${kind === undefined ? '' : ` class="${kind}"`}${anchor === undefined ? '' : ` text-anchor="${anchor}"`}`
  return `<text x="${Number(x.toFixed(1))}" y="${y}"${attributes}>${escapeText(text)}</text>`
}

const cut = (text: string) => (text.length > LABEL_LETTERS ? `${text.slice(0, LABEL_LETTERS - 1)}…` : text)

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeText = (text: string) => text.replace(/[&<>"]/g, (letter) => ESCAPED[letter] ?? letter)
