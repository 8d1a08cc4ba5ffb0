/**
 * Lays out a sweep's runs: two inputs give a table, more give a page per combination of the others, anything else a
 * list.
 */

import type { RunView } from '../../../../contract/workflows.ts'
import { keepStart } from '../../../../lib/text.ts'

export type SheetRun = Pick<RunView, 'id' | 'label' | 'cell'>

export type SheetPage<Run> = {
  readonly title: string | undefined
  readonly rows: readonly { readonly heading: string; readonly cells: readonly (Run | undefined)[] }[]
}

export type SweepSheet<Run> =
  | { readonly kind: 'list'; readonly runs: readonly Run[] }
  | {
      readonly kind: 'table'
      readonly rowName: string
      readonly columnName: string
      readonly columns: readonly string[]
      readonly pages: readonly SheetPage<Run>[]
    }

type Axis = NonNullable<SheetRun['cell']>['axes'][number]
type SheetCell<Run> = { readonly run: Run; readonly page: readonly Axis[]; readonly row: Axis; readonly column: Axis }

/** @param runs in queue order; the later wins a shared cell */
export function layoutSheet<Run extends SheetRun>(runs: readonly Run[]): SweepSheet<Run> {
  const sheetCells = runs.flatMap((run) => cellOf(run) ?? [])
  const [first] = sheetCells
  if (
    first === undefined ||
    sheetCells.length < runs.length ||
    sheetCells.some(({ page }) => page.length !== first.page.length)
  )
    return { kind: 'list', runs }
  const columns = valuesOf(sheetCells.map(({ column }) => column))
  const rows = valuesOf(sheetCells.map(({ row }) => row))
  const cells = new Map(sheetCells.map((one) => [keyOf([...one.page, one.row, one.column]), one.run]))
  const pages = [...new Map(sheetCells.map(({ page }) => [keyOf(page), page])).values()]
    .toSorted(inOrder)
    .map((page) => ({
      title: page.length === 0 ? undefined : page.map(({ name, text }) => `${name} ${text}`).join(', '),
      rows: rows.map((row) => ({
        heading: row.text,
        cells: columns.map((column) => cells.get(keyOf([...page, row, column]))),
      })),
    }))
  const [rowName, columnName] = [first.row.name, first.column.name]
  return { kind: 'table', rowName, columnName, columns: columns.map(({ text }) => text), pages }
}

function cellOf<Run extends SheetRun>(run: Run): SheetCell<Run> | undefined {
  const { kind, axes = [] } = run.cell ?? {}
  const [row, column] = axes.slice(-2)
  if (kind !== 'grid' || row === undefined || column === undefined) return undefined
  return { run, page: axes.slice(0, -2), row, column }
}

const keyOf = (axes: readonly Axis[]) => axes.map(({ at }) => at).join(' ')
const valuesOf = (axes: readonly Axis[]) =>
  [...new Map(axes.map((axis) => [axis.at, axis])).values()].toSorted((one, other) => one.at - other.at)

function inOrder(one: readonly Axis[], other: readonly Axis[]): number {
  const differs = one.findIndex(({ at }, index) => at !== other[index]?.at)
  return differs < 0 ? 0 : (one[differs]?.at ?? 0) - (other[differs]?.at ?? 0)
}

/** In px: texts by left end and baseline, pictures by upper left corner. */
export type SheetPicture<Run> = {
  readonly width: number
  readonly height: number
  readonly fontPx: number
  readonly texts: readonly { readonly x: number; readonly y: number; readonly text: string; readonly isBold: boolean }[]
  readonly pictures: readonly { readonly x: number; readonly y: number; readonly size: number; readonly run: Run }[]
}

const FONT_PX = 16
const LINE_PX = 24
const MARGIN = 24
const GAP = 8
// Browsers limit canvases to about 16,384 px; half of that leaves space for labels.
const MOST_PX = 8192
const [LARGEST_CELL, SMALLEST_CELL] = [320, 48]
const CHARACTER_PX = FONT_PX * 0.56
const ROW_HEADING_MOST = 28

export function drawSheet<Run extends SheetRun>(sheet: SweepSheet<Run>, heading: string): SheetPicture<Run> {
  const table = sheet.kind === 'table' ? sheet : listAsTable(sheet.runs)
  const headings = table.pages.flatMap(({ rows }) => rows.map((row) => row.heading))
  const left = MARGIN + Math.min(ROW_HEADING_MOST, Math.max(0, ...headings.map(({ length }) => length))) * CHARACTER_PX
  const down = table.pages.reduce((sum, { rows }) => sum + rows.length, 0)
  const fits = Math.min(MOST_PX / Math.max(1, table.columns.length), MOST_PX / Math.max(1, down))
  const size = Math.floor(Math.max(SMALLEST_CELL, Math.min(LARGEST_CELL, fits)))
  const texts: SheetPicture<Run>['texts'][number][] = []
  const pictures: SheetPicture<Run>['pictures'][number][] = []
  const columnAt = (index: number) => left + GAP + index * (size + GAP)
  const width = Math.max(columnAt(table.columns.length), MARGIN * 2 + 20 * CHARACTER_PX) + MARGIN
  let y = MARGIN + FONT_PX
  const write = (x: number, text: string, most: number, isBold = false) => {
    if (text !== '') texts.push({ x, y, text: cut(text, most), isBold })
  }
  write(MARGIN, heading, width - 2 * MARGIN, true)
  for (const { title, rows } of table.pages) {
    if (title !== undefined) {
      y += LINE_PX
      write(MARGIN, title, width - 2 * MARGIN, true)
    }
    if (table.columns.some((column) => column !== '')) {
      y += LINE_PX
      for (const [index, column] of table.columns.entries()) write(columnAt(index), column, size)
    }
    for (const { heading: text, cells } of rows) {
      y += GAP
      for (const [index, run] of cells.entries())
        if (run !== undefined) pictures.push({ x: columnAt(index), y, size, run })
      y += FONT_PX
      write(MARGIN, text, left - MARGIN)
      y += size - FONT_PX
      if (sheet.kind === 'list') {
        y += FONT_PX + 4
        for (const [index, run] of cells.entries()) write(columnAt(index), run?.label ?? run?.id ?? '', size)
      }
    }
    y += LINE_PX
  }
  return { width: Math.ceil(width), height: Math.ceil(y + MARGIN), fontPx: FONT_PX, texts, pictures }
}

function listAsTable<Run>(runs: readonly Run[]): Pick<SweepSheet<Run> & { kind: 'table' }, 'columns' | 'pages'> {
  const across = Math.max(1, Math.ceil(Math.sqrt(runs.length)))
  const starts = Array.from({ length: Math.ceil(runs.length / across) }, (_, row) => row * across)
  const rows = starts.map((start) => ({ heading: '', cells: runs.slice(start, start + across) }))
  return { columns: Array.from({ length: across }, () => ''), pages: [{ title: undefined, rows }] }
}

function cut(text: string, px: number): string {
  return keepStart(text, Math.max(1, Math.floor(px / CHARACTER_PX)))
}

export function sheetHeading<Run>(sheet: SweepSheet<Run>, title: string): string {
  return sheet.kind === 'table' ? `${title}: ${sheet.rowName} down, ${sheet.columnName} across` : title
}

/**
 * A self-contained SVG.
 * @param sourceOf `data:` URL of a run's picture; undefined: shows `wordOf`
 */
export function sheetSvg<Run>(
  { width, height, fontPx, texts, pictures }: SheetPicture<Run>,
  sourceOf: (run: Run) => string | undefined,
  labelOf: (run: Run) => string,
): string {
  const cells = pictures.map(({ x, y, size, run }) => {
    const source = sourceOf(run)
    const frame = `x="${x}" y="${y}" width="${size}" height="${size}"`
    if (source !== undefined) return `<image ${frame} href="${escaped(source)}"/>`
    const label = `<text x="${x + GAP}" y="${y + size / 2}" fill="#666">${escaped(cut(labelOf(run), size - 2 * GAP))}</text>`
    return `<rect ${frame} fill="#eee"/>${label}`
  })
  const labels = texts.map(({ x, y, text, isBold }) => {
    return `<text x="${x}" y="${y}"${isBold ? ' font-weight="600"' : ''}>${escaped(text)}</text>`
  })
  const box = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${box} font-family="sans-serif" font-size="${fontPx}" fill="#111">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...cells,
    ...labels,
    '</svg>\n',
  ].join('\n')
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

// XML allows no other control characters.
const escaped = (text: string) =>
  text.replace(/\p{Cc}+/gu, ' ').replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
