import { describe, expect, it, onTestFinished } from 'vitest'
import { openStorage } from '../../../../src-main/storage/open-storage.ts'
import type { RunQuery } from '../../../../src-main/storage/storage.ts'

const ALL: RunQuery = {
  workflowId: undefined,
  endpointId: undefined,
  sweepId: undefined,
  text: undefined,
  before: undefined,
  limit: 100,
}
const NEW = {
  workflowId: undefined,
  label: undefined,
  sweepId: undefined,
  document: undefined,
  needs: undefined,
  files: [],
  words: '',
}

/** Runs `r1`, `r2` ... of one endpoint; those of `ended` have ended at the time of their number. */
async function setup(count: number, ended: readonly number[]) {
  const storage = openStorage(':memory:')
  onTestFinished(() => storage.close())
  const { runs, write } = storage
  await write(() => {
    for (let n = 1; n <= count; n++)
      runs.insert({ ...NEW, id: `r${n}`, endpointId: 'e', title: `Run ${n}`, createdAt: n, payload: '{}' })
    for (const n of ended) runs.end(`r${n}`, END(n))
  })
  const ids = () => runs.list(ALL).map(({ id }) => id)
  const trim = (before: number, count: number, { limit = 100, bytes = 1000 } = {}) =>
    write(() => runs.trim({ before, count, bytes }, limit))
  return { runs, write, ids, trim }
}

const END = (endedAt: number) => ({
  status: 'COMPLETED' as const,
  endedAt,
  executionMs: 5,
  results: [],
  previews: [],
  errors: [],
})

it('the needs of graphs that wait are read once', async () => {
  const { runs, write } = await setup(1, [])
  const needs = { classes: ['Save'], models: [] }
  const one = { ...NEW, id: 'graph', endpointId: 'e', title: 'Graph', createdAt: 9, payload: '{}', needs }
  await write(() => runs.insert(one))
  const read = () => runs.needs(['r1', 'graph'])
  expect([...read()]).toEqual([['graph', needs]])
  expect(read().get('graph')).toBe(read().get('graph'))
})

describe('old runs', () => {
  it('go by their age, and those that have not ended stay', async () => {
    const { trim, ids } = await setup(4, [1, 3, 4])
    expect(await trim(4, 100)).toBe(2)
    expect(ids()).toEqual(['r4', 'r2'])
    expect(await trim(4, 100)).toBe(0)
  })

  it.each([
    [4, 0, ['r4', 'r3', 'r2', 'r1']],
    [3, 1, ['r4', 'r3', 'r2']],
    [0, 4, []],
  ])('go beyond the newest %i', async (keep, gone, left) => {
    const { trim, ids } = await setup(4, [1, 2, 3, 4])
    expect(await trim(0, keep)).toBe(gone)
    expect(ids()).toEqual(left)
  })

  it('go so many at a time', async () => {
    const { trim, ids } = await setup(4, [1, 2, 3, 4])
    expect(await trim(9, 100, { limit: 3 })).toBe(3)
    expect(ids()).toEqual(['r4'])
  })

  // Each has two bytes.
  it.each([
    [8, 0, ['r4', 'r3', 'r2', 'r1']],
    [7, 1, ['r4', 'r3', 'r1']],
    [4, 2, ['r4', 'r1']],
    [0, 3, ['r1']],
  ])('go where they are more than %i bytes together, and those that have not ended stay', async (bytes, gone, left) => {
    const { trim, ids } = await setup(4, [2, 3, 4])
    expect(await trim(0, 100, { bytes })).toBe(gone)
    expect(ids()).toEqual(left)
    expect(await trim(0, 100, { bytes })).toBe(0)
  })

  it('go so many at a time, also for their bytes', async () => {
    const { trim, ids } = await setup(4, [1, 2, 3, 4])
    expect(await trim(0, 100, { bytes: 0, limit: 3 })).toBe(3)
    expect(ids()).toEqual(['r4'])
  })
})

describe('a run', () => {
  it('ends once, and can be opened again', async () => {
    const { runs, write } = await setup(1, [])
    expect(runs.isOpen('r1')).toBe(true)
    expect(await write(() => runs.end('r1', END(5)))).toMatchObject({ status: 'COMPLETED', endedAt: 5, executionMs: 5 })
    expect(await write(() => runs.end('r1', END(6)))).toBe(undefined)
    expect([runs.isOpen('r1'), runs.open()]).toEqual([false, []])
    expect(await write(() => runs.reopen('r1', 7))).toBe(true)
    expect(await write(() => runs.reopen('r1', 8))).toBe(false)
    expect(runs.open()).toEqual(['r1'])
    expect(runs.get('r1')).not.toHaveProperty('endedAt')
  })

  it('without a job is in progress until it ends', async () => {
    const { runs } = await setup(1, [])
    expect(runs.get('r1')?.status).toBe('IN_PROGRESS')
  })

  it('takes its texts along when it goes', async () => {
    const { runs, write } = await setup(1, [1])
    expect(runs.texts('r1')).toEqual({ payload: '{}', document: undefined })
    await write(() => runs.remove('r1'))
    expect(runs.texts('r1')).toBe(undefined)
  })
})
