import { fireEvent, screen } from '@testing-library/react'
import { expect, onTestFinished, test } from 'vitest'
import { nextRow } from '../../src-renderer/ui/keyboard.ts'
import type { Column, TableSort } from '../../src-renderer/ui/table/column.ts'
import { slotsOf } from '../../src-renderer/ui/table/Grid.tsx'
import { Table } from '../../src-renderer/ui/table/Table.tsx'
import { giveSizes, renderInApp } from './support.tsx'

type Row = { readonly id: string; readonly count: number | undefined }

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'id',
    header: 'Name',
    width: 100,
    grow: 1,
    cell: ({ id }) => <a href={`#${id}`}>{id}</a>,
    sortBy: ({ id }) => id,
  },
  { id: 'count', header: 'Count', width: 80, cell: ({ count }) => count, sortBy: ({ count }) => count },
  { id: 'note', header: 'Note', width: 80, cell: () => 'note' },
]

function setup(rows: readonly Row[], sort?: TableSort) {
  onTestFinished(giveSizes())
  const opened: string[] = []
  const sorts: (TableSort | undefined)[] = []
  renderInApp(
    <Table
      label="Things"
      columns={COLUMNS}
      rows={rows}
      rowId={({ id }) => id}
      onOpen={({ id }) => opened.push(id)}
      sort={sort}
      onSort={(wanted) => sorts.push(wanted)}
    />,
  )
  const table = screen.getByRole('grid', { name: 'Things' })
  const names = () => [...table.querySelectorAll('tbody tr')].map((row) => row.querySelector('a')?.textContent)
  const active = () => table.querySelector('[aria-selected="true"] a')?.textContent
  const press = (...keys: readonly string[]) => {
    for (const key of keys) fireEvent.keyDown(table, { key })
  }
  return { table, names, active, press, opened, sorts }
}

const few: readonly Row[] = [
  { id: 'b', count: 10 },
  { id: 'a', count: undefined },
  { id: 'c', count: 9 },
]

test('j, k, arrows, Home and End move through the rows, and Enter opens the active one', () => {
  const { table, press, active, opened } = setup(few)
  press('Enter')
  expect(opened).toEqual([])
  press('j', 'ArrowDown')
  expect(active()).toBe('a')
  expect(table.getAttribute('aria-activedescendant')).toBe(table.querySelector('[aria-selected="true"]')?.id)
  press('k')
  expect(active()).toBe('b')
  press('End', 'ArrowDown')
  expect(active()).toBe('c')
  press('Home', 'Enter')
  expect(opened).toEqual(['b'])
})

test('a click opens the row, and one on a link in it only follows the link', () => {
  const { opened } = setup(few)
  fireEvent.click(screen.getByText('10'))
  fireEvent.click(screen.getByText('c'))
  expect(opened).toEqual(['b'])
})

test.each([
  [undefined, ['b', 'a', 'c']],
  [{ column: 'id', descending: false }, ['a', 'b', 'c']],
  [{ column: 'count', descending: false }, ['c', 'b', 'a']],
  [{ column: 'count', descending: true }, ['b', 'c', 'a']],
  [{ column: 'nothing', descending: true }, ['b', 'a', 'c']],
])('sorted by %j the rows stand as %j; those without a value last', (sort, wanted) => {
  expect(setup(few, sort).names()).toEqual(wanted)
})

test.each([
  [undefined, { column: 'count', descending: false }],
  [
    { column: 'count', descending: false },
    { column: 'count', descending: true },
  ],
  [{ column: 'count', descending: true }, undefined],
])('a press on a head asks, after %j, for %j', (sort, wanted) => {
  const { sorts } = setup(few, sort)
  fireEvent.click(screen.getByRole('button', { name: 'Count' }))
  expect(sorts).toEqual([wanted])
})

test('a column without an order has no button', () => {
  setup(few)
  expect(screen.queryByRole('button', { name: 'Note' })).toBe(null)
})

test('of a hundred thousand rows only those in sight are drawn, and all are counted', () => {
  const { table, names, press, active } = setup(
    Array.from({ length: 100_000 }, (_row, at) => ({ id: `r${at}`, count: at })),
  )
  expect(names().length).toBeLessThan(100)
  expect(table.getAttribute('aria-rowcount')).toBe('100001')
  press('j')
  expect(active()).toBe('r0')
})

test('of no rows no key moves to one', () => {
  const keys = ['j', 'k', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown']
  expect(keys.map((key) => nextRow(key, { active: -1, count: 0, page: 5 }))).toEqual(keys.map(() => undefined))
  expect(nextRow('PageDown', { active: 1, count: 20, page: 5 })).toBe(6)
  expect(nextRow('PageUp', { active: 3, count: 20, page: 5 })).toBe(0)
  expect(nextRow('x', { active: 3, count: 20, page: 5 })).toBe(undefined)
})

test.each([
  [0, [0, 1, 2, 3, 4, 5]],
  [3, [6, 1, 2, 3, 4, 5]],
  [4, [6, 7, 2, 3, 4, 5]],
  [50, [48, 49, 50, 51, 52, 53]],
  [98, [96, 97, 98, 99, 94, 95]],
])('from row %j on each row keeps its slot: %j', (startIndex, slots) => {
  expect(slotsOf({ startIndex, size: 2, overscan: 2, count: 100 })).toEqual(slots)
})

test('of a few rows each has a slot', () => {
  expect(slotsOf({ startIndex: 0, size: 20, overscan: 5, count: 3 })).toEqual([0, 1, 2])
  expect(slotsOf({ startIndex: 0, size: 20, overscan: 5, count: 0 })).toEqual([])
})

test('rows of a group stand below its name, sorted within it, and keys pass over the names', () => {
  onTestFinished(giveSizes())
  renderInApp(
    <Table
      label="Things"
      columns={COLUMNS}
      rows={[...few, { id: 'd', count: 1 }]}
      rowId={({ id }) => id}
      groupOf={({ id }) => (id < 'c' ? 'Early' : 'Late')}
      groupName={({ id }) => <b>{id < 'c' ? 'Early letters' : 'Late letters'}</b>}
      sort={{ column: 'id', descending: true }}
      onSort={() => undefined}
    />,
  )
  const table = screen.getByRole('grid', { name: 'Things' })
  const lines = [...table.querySelectorAll('tbody tr')].map((row) => row.querySelector('a, th')?.textContent)
  expect(lines).toEqual(['Early letters 2', 'b', 'a', 'Late letters 2', 'd', 'c'])
  for (const key of ['j', 'j', 'j']) fireEvent.keyDown(table, { key })
  expect(table.querySelector('[aria-selected="true"] a')?.textContent).toBe('d')
})
