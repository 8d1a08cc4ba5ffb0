import { expect, it } from 'vitest'
import { chooseWithAffinity, readAffinity } from '../../../../src-main/features/load-balancing/rules/affinity.ts'

const [SOFT, STRICT, RESUME] = [
  { isStrict: false, resumes: false },
  { isStrict: true, resumes: false },
  { isStrict: true, resumes: true },
]

it.each([
  ['w1', { workerId: 'w1', ...SOFT }],
  ['  w1 ', { workerId: 'w1', ...SOFT }],
  ['strict w1', { workerId: 'w1', ...STRICT }],
  ['Strict   w1', { workerId: 'w1', ...STRICT }],
  ['strict-resume w1', { workerId: 'w1', ...RESUME }],
  ['STRICT-RESUME\tw1', { workerId: 'w1', ...RESUME }],
  [undefined, undefined],
  ['', undefined],
  [' ', undefined],
  ['sticky w1', undefined],
  ['w1, w2', undefined],
  ['strict w1 w2', undefined],
])('the header %j asks for %j', (header, affinity) => {
  expect(readAffinity(header)).toEqual(affinity)
})

const worker = (id: string, openRequests: number) => ({ id, openRequests, startedAt: 0, idleSince: undefined })

it('the worker that is asked for is chosen before a less loaded one until it has its share of requests', () => {
  const [asked, other] = [worker('asked', 3), worker('other', 0)]
  for (const more of [SOFT, STRICT, RESUME]) {
    const affinity = { workerId: 'asked', ...more }
    expect(chooseWithAffinity([other, asked], affinity, { share: 4, moreCome: false })).toBe(asked)
  }
})

it('another worker is chosen if the one asked for has its share or is missing, unless the request is strict', () => {
  const [asked, other] = [worker('asked', 4), worker('other', 4)]
  const rule = { share: 4, moreCome: false }
  for (const candidates of [[other], [other, { ...asked, openRequests: 5 }]]) {
    expect(chooseWithAffinity(candidates, { workerId: 'asked', ...SOFT }, rule)).toBe(other)
    expect(chooseWithAffinity(candidates, { workerId: 'asked', ...STRICT }, rule)).toBeUndefined()
  }
})
