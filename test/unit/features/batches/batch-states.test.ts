import { expect, test } from 'vitest'
import { BATCH_STATES } from '../../../../src-main/contract/batch.ts'
import { countsOf, wireState } from '../../../../src-main/features/batches/rules/counts.ts'
import { BATCH_EVENTS, BATCH_TRANSITIONS, mayMove } from '../../../../src-main/features/batches/rules/transitions.ts'
import { openStorage } from '../../../../src-main/storage/open-storage.ts'

async function withBatch() {
  const storage = openStorage(':memory:')
  const { batches, write } = storage
  const given = {
    id: 'b',
    endpointId: 'e',
    name: 'b',
    fingerprint: null,
    total: 2,
    state: 'DRAFT',
    createdAt: 0,
  } as const
  const read = () => batches.get('b')
  await write(() => batches.insert(given))
  return { ...storage, read, seq: read()?.seq ?? 0 }
}

// The moves that lead a draft to each state.
const TO = { DRAFT: [], FINALIZED: ['finalize'], FAILED: ['finalize', 'fail'], CANCELLED: ['cancel'] } as const

for (const from of BATCH_STATES)
  for (const event of BATCH_EVENTS)
    test(`a batch that is ${from} ${mayMove(from, event) ? 'takes' : 'refuses'} ${event}`, async () => {
      const { batches, write, close, read, seq } = await withBatch()
      for (const move of TO[from]) await write(() => batches.move(seq, move))
      expect(await write(() => batches.move(seq, event))).toBe(mayMove(from, event))
      expect(read()?.state).toBe(mayMove(from, event) ? BATCH_TRANSITIONS[event].to : from)
      await close()
    })

test('inputs that are no jobs count as their batch is', () => {
  const counts = { UNQUEUED: 2, COMPLETED: 1 }
  const of = (state: (typeof BATCH_STATES)[number]) => countsOf({ state, total: 3, counts })
  expect(of('DRAFT')).toMatchObject({ state: 'draft', drafts: 2, unsent: 0, isOpen: false })
  expect(of('FINALIZED')).toMatchObject({ state: 'running', drafts: 0, jobs: { IN_QUEUE: 2, COMPLETED: 1 } })
  expect(of('CANCELLED')).toMatchObject({ state: 'cancelled', drafts: 0, jobs: { CANCELLED: 2 } })
  expect(of('FAILED')).toMatchObject({ state: 'failed', drafts: 0, jobs: { FAILED: 2 } })
  expect(countsOf({ state: 'DRAFT', total: 4, counts })).toMatchObject({ state: 'uploading', unsent: 1 })
})

test('a batch is CANCELLED once its running jobs have ended', () => {
  expect([wireState('CANCELLED', true), wireState('CANCELLED', false)]).toEqual(['FINALIZED', 'CANCELLED'])
  for (const state of BATCH_STATES) expect(wireState(state, false)).toBe(state)
})
