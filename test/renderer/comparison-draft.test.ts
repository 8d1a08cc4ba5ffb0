import { describe, expect, it, test } from 'vitest'
import { chosenSource, lastJobs } from '../../src-renderer/features/jobs/comparisons/ComparisonInputs.tsx'
import {
  type ComparisonDraft,
  NO_RULES,
  readComparison,
} from '../../src-renderer/features/jobs/comparisons/comparison-draft.ts'
import { testClient } from './support.tsx'

const VERSION = { endpoint: 'old', image: '', set: '' }
const DRAFT: ComparisonDraft = {
  ...{ mode: 'compare', name: '', versions: [VERSION, { ...VERSION, endpoint: 'new' }], ignore: '' },
  ...{ tolerance: 'Exact', rules: NO_RULES },
}
const read = (part: Partial<ComparisonDraft>) => readComparison({ ...DRAFT, ...part }, { ids: ['a'] })

test.each([
  ['Exact', {}],
  ['Close', { relative: 0.001, similarity: 0.98 }],
  ['Custom', { absolute: 0.5 }],
] as const)('%s is a tolerance', (tolerance, rules) => {
  const typed = { ...NO_RULES, absolute: '0.5' }
  expect(read({ tolerance, rules: typed })).toMatchObject({ body: { rules } })
  expect(read({ tolerance, rules: typed, ignore: 'meta.seed' })).toMatchObject({
    body: { rules: { ...rules, ignore: ['meta.seed'] } },
  })
})

test('text typed for a tolerance that is not chosen is ignored', () => {
  const rules = { ...NO_RULES, absolute: 'many' }
  expect(read({ tolerance: 'Close', rules })).toHaveProperty('body')
  expect(read({ tolerance: 'Custom', rules })).toMatchObject({ problems: { absolute: expect.any(String) } })
})

describe('the inputs of a comparison', () => {
  it.each([
    ['', 'last'],
    ['endpoint=old', 'last'],
    ['endpoint=old&inputs=jobs', 'jobs'],
    ['endpoint=old&status=FAILED', 'jobs'],
    ['ids=a,b', 'jobs'],
    ['endpoint=old&inputs=file', 'file'],
  ])('begin with the last jobs of its endpoint unless the address names others: %s', (address, source) => {
    expect(chosenSource(new URLSearchParams(address))).toBe(source)
  })

  it('come from the newest 50 jobs of the endpoint, with a message if it has none', async () => {
    const { client, calls } = testClient({ jobList: { requests: [{ id: 'b' }, { id: 'a' }] } })
    expect(await lastJobs(client, 'old')).toEqual({ ids: ['b', 'a'] })
    expect(calls).toMatchObject([{ args: { query: { endpoint: 'old', limit: 50, previews: 'false' } } }])
    const none = testClient({ jobList: { requests: [] } })
    await expect(lastJobs(none.client, 'old')).rejects.toThrow(/old has no jobs yet/)
  })
})
