import { describe, expect, test } from 'vitest'
import { sweepRuns } from '../../../../../src-main/features/workflows/rules/publish/sweep.ts'
import {
  drawSheet,
  layoutSheet,
  type SheetRun,
  sheetHeading,
  sheetSvg,
} from '../../../../../src-main/features/workflows/rules/publish/sweep-sheet.ts'
import { json, objectOf } from '../../../../support/workflow-files.ts'

const PAYLOAD = objectOf('{"3": {"class_type": "KSampler", "inputs": {"seed": 1, "cfg": 7.0, "sampler": "euler"}}}')

/** The runs of a sweep over the axes, in their order; ids are their labels. */
function swept(axes: Readonly<Record<string, readonly unknown[]>>, kind: 'grid' | 'pairs' = 'grid'): SheetRun[] {
  const read = Object.entries(axes).map(([name, values]) => ({
    node: '3',
    input: name,
    name,
    values: values.map(json),
  }))
  return sweepRuns(PAYLOAD, read, kind).map(({ label, cell }) => ({ id: label, label, cell }))
}
const ids = (runs: readonly (SheetRun | undefined)[]) => runs.map((run) => run?.id)

describe('a sheet', () => {
  test('over two inputs has a row for each value of the first, a column for each of the second', () => {
    const sheet = layoutSheet(swept({ seed: [2, 1], cfg: [5, 6, 6] }))
    expect(sheet).toMatchObject({ kind: 'table', rowName: 'seed', columnName: 'cfg', columns: ['5', '6', '6'] })
    if (sheet.kind !== 'table') return
    expect(sheet.pages.map(({ title }) => title)).toEqual([undefined])
    expect(sheet.pages[0]?.rows.map(({ heading, cells }) => [heading, ids(cells)])).toEqual([
      ['2', ['seed 2, cfg 5', 'seed 2, cfg 6', 'seed 2, cfg 6']],
      ['1', ['seed 1, cfg 5', 'seed 1, cfg 6', 'seed 1, cfg 6']],
    ])
  })

  test('over three inputs has a page for each value of the first', () => {
    const sheet = layoutSheet(swept({ sampler: ['euler', 'ddim'], seed: [1, 2], cfg: [5, 6] }).toReversed())
    expect(sheet.kind === 'table' && sheet.pages.map(({ title, rows }) => [title, rows.length])).toEqual([
      ['sampler euler', 2],
      ['sampler ddim', 2],
    ])
  })

  test('leaves the cells empty whose runs are not kept any more, or have not come yet', () => {
    const sheet = layoutSheet(swept({ seed: [1, 2], cfg: [5, 6] }).slice(1, 3))
    expect(sheet.kind === 'table' && sheet.pages[0]?.rows.map(({ cells }) => ids(cells))).toEqual([
      [undefined, 'seed 1, cfg 6'],
      ['seed 2, cfg 5', undefined],
    ])
  })

  test.each([
    ['one input', swept({ seed: [1, 2] })],
    ['pairs', swept({ seed: [1, 2], cfg: [5, 6] }, 'pairs')],
    ['runs without a place', swept({ seed: [1, 2], cfg: [5, 6] }).map(({ id, label }) => ({ id, label }))],
    ['no run', []],
  ])('of %s is a list', (_, runs) => expect(layoutSheet(runs)).toEqual({ kind: 'list', runs }))
})

describe('the picture of a sheet', () => {
  test('has each run once, no two in one place, and all labels', () => {
    const runs = swept({ sampler: ['euler', 'ddim'], seed: [1, 2], cfg: [5, 6] })
    const sheet = layoutSheet(runs)
    const picture = drawSheet(sheet, sheetHeading(sheet, 'Lamp'))
    expect(ids(picture.pictures.map(({ run }) => run))).toEqual(ids(runs))
    expect(new Set(picture.pictures.map(({ x, y }) => `${x} ${y}`)).size).toBe(8)
    for (const { x, y, size } of picture.pictures)
      expect(x + size <= picture.width && y + size <= picture.height).toBe(true)
    expect(picture.texts.map(({ text }) => text)).toEqual([
      'Lamp: seed down, cfg across',
      ...['sampler euler', '5', '6', '1', '2'],
      ...['sampler ddim', '5', '6', '1', '2'],
    ])
  })

  test('of 200 values fits a canvas', () => {
    const sheet = layoutSheet(swept({ seed: Array.from({ length: 200 }, (_, n) => n), cfg: [5, 6] }))
    expect(drawSheet(sheet, '').height).toBeLessThan(16_384)
  })

  test('of a list writes its label below each', () => {
    const picture = drawSheet(layoutSheet(swept({ seed: [1, 2, 3] })), 'Lamp')
    expect(picture.texts.map(({ text }) => text)).toEqual(['Lamp', 'seed 1', 'seed 2', 'seed 3'])
    expect(new Set(picture.pictures.map(({ x }) => x)).size).toBe(2)
  })

  test('as an SVG holds texts as they are, and a word where there is no picture', () => {
    const picture = drawSheet(layoutSheet(swept({ sampler: ['a<b> & "c"', 'd'] })), 'Lamp')
    const svg = sheetSvg(
      picture,
      ({ id }) => (id.endsWith(' d') ? 'data:image/png;base64,AA==' : undefined),
      () => 'Failed',
    )
    expect(svg).toContain('>sampler a&lt;b&gt; &amp; &quot;c&quot;</text>')
    expect(svg).toContain('href="data:image/png;base64,AA=="')
    expect(svg.match(/>Failed</g)).toHaveLength(1)
  })
})
