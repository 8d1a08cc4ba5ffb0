import { expect, it } from 'vitest'
import type { PriceTable } from '../../src-main/contract/what-if.ts'
import { EMPTY_FORM, toQuestion } from '../../src-renderer/features/endpoints/what-if/what-if-form.ts'

const PRICES: PriceTable = {
  ...{ asOf: '2026-01-01', source: 'a list', currency: 'USD' },
  prices: [
    { card: 'A100', perSecond: 0.0003, memoryGb: 80 },
    { card: 'H100', perSecond: 0.0006, memoryGb: 80 },
  ],
}
const NOW = 1_900_000_000_000
const ask = (more: object) => toQuestion({ ...EMPTY_FORM, ...more }, PRICES, NOW)

it('values to try are asked for as the command asks for them, with the prices of their cards', () => {
  const fields = { workersMin: '0,1', workersMax: '2, 4', idle: '5', concurrency: '8', scaler: '4s, 3/worker' }
  expect(ask({ ...fields, card: 'A100', cards: 'A100, H100' })).toMatchObject({
    body: {
      vary: {
        ...{ workersMin: [0, 1], workersMax: [2, 4], idleTimeoutMs: [5000], concurrency: [8] },
        scaler: [
          { type: 'QUEUE_DELAY', value: 4 },
          { type: 'REQUEST_COUNT', value: 3 },
        ],
        card: ['A100', 'H100'],
      },
      ...{ card: 'A100', currency: 'USD', prices: [{ card: 'A100' }, { card: 'H100' }] },
    },
  })
  expect(ask({})).not.toHaveProperty('body.vary')
})

it.each([
  ['workersMax', '2;4'],
  ['idle', '5s'],
  ['scaler', 'fast'],
  ['cards', 'B200'],
])('a value that is none is told at its field: %s', (field, text) => {
  expect(ask({ [field]: text })).toMatchObject({ problem: { field } })
})
