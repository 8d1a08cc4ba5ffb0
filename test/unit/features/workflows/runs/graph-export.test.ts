import { expect, it } from 'vitest'
import { limit } from '../../../../../src-main/contract/limits.ts'
import type { GraphExportHead } from '../../../../../src-main/contract/workflows.ts'
import { exportLines, readGraphExport } from '../../../../../src-main/features/workflows/rules/runs/graph-export.ts'

const PAYLOAD = '{"3": {"class_type": "KSampler",\n "inputs": {"seed": 18446744073709551615, "cfg": NaN}}}'
const head = (more: Partial<GraphExportHead> = {}): GraphExportHead => ({
  ...{ drydock: 'graph', format: 1, version: '1.0.0', exportedAt: 5, name: 'Cat', masked: 0 },
  ...{ seeds: [], classes: [], models: [], files: [], ...more },
})

it('a graph over several lines is read letter by letter, with a number that is none', () => {
  const opened = readGraphExport(exportLines(head(), { document: undefined, payload: PAYLOAD }))
  expect(opened).toEqual({ head: head(), document: undefined, payload: PAYLOAD.replace('\n', ' '), files: [] })
})

it.each([
  [limit('graphExportFiles') - 1, true],
  [limit('graphExportFiles'), true],
  [limit('graphExportFiles') + 1, false],
])('a list of %i files is read: %s', (count, isRead) => {
  const files = Array.from({ length: count }, (_, n) => ({ name: `${n}.png`, use: 'input', left: 'missing' }) as const)
  const opened = readGraphExport(exportLines(head({ files }), { document: undefined, payload: PAYLOAD }))
  expect('why' in opened).toBe(!isRead)
})

it.each(['Cat', 'a/b.png', '..', 'C:\\x.png'])('a file is never more than a name: %s', (name) => {
  const files = [{ name, use: 'input', sha256: 'a'.repeat(64) } as const]
  const text = `${exportLines(head({ files }), { document: undefined, payload: PAYLOAD })}AAAA\n`
  expect('why' in readGraphExport(text)).toBe(name !== 'Cat')
})
