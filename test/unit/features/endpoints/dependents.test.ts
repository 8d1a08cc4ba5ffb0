import { expect, test } from 'vitest'
import { dependentsOf, dependentsText } from '../../../../src-main/features/endpoints/rules/dependents.ts'

const NOBODY = {
  jobs: 0,
  endpoints: [],
  release: undefined,
  schedules: [],
  batches: [],
  comparisons: [],
}

function inApp(resource: string, { environment = 'production', callsOthers = false } = {}) {
  const app = { name: 'demo', environment, resource, code: 'a', variables: 0 }
  return { id: `${resource}-${environment}`, config: { name: resource, callsOthers, app } }
}

const alone = (id: string, more: object = {}) => ({
  id,
  config: { name: id.toUpperCase(), callsOthers: true, ...more },
})

test('nothing depends on an endpoint that nothing uses, even if others call other endpoints', () => {
  const sketch = alone('sketch')
  const dependents = dependentsOf(sketch, { ...NOBODY, endpoints: [sketch, alone('other')] })
  expect(dependents).toEqual({ jobs: 0, graphs: [], callers: [], schedules: [], batches: [], comparisons: [] })
  expect(dependentsText(dependents)).toBeUndefined()
})

test('graphs that are published on an endpoint, and running comparisons of its id or name, depend on it', () => {
  const sketch = alone('sketch')
  const versions = (...ids: readonly string[]) => ids.map((endpoint) => ({ endpoint }))
  const dependents = dependentsOf(sketch, {
    ...NOBODY,
    jobs: 2,
    endpoints: [
      sketch,
      alone('cat', { graph: { behind: 'sketch', version: 1 } }),
      alone('dog', { graph: { behind: 'other', version: 1 } }),
    ],
    schedules: ['nightly'],
    batches: ['inputs.jsonl'],
    comparisons: [
      { name: 'by id', state: 'running', versions: versions('other', 'sketch') },
      { name: 'by name', state: 'running', versions: versions('SKETCH') },
      { name: 'over', state: 'done', versions: versions('sketch') },
      { name: 'elsewhere', state: 'running', versions: versions('other') },
    ],
  })
  expect(dependentsText(dependents)).toBe(
    '2 unfinished jobs, published graph cat, schedule nightly, batch inputs.jsonl, comparison by id, comparison by name',
  )
})

test('the active release of its app depends on an endpoint, and so do endpoints of it that call others', () => {
  const greet = inApp('greet', { callsOthers: true })
  const endpoints = [
    greet,
    inApp('shout'),
    inApp('welcome', { callsOthers: true }),
    inApp('welcome', { callsOthers: true, environment: 'staging' }),
    alone('other'),
  ]
  const dependents = dependentsOf(greet, { ...NOBODY, endpoints, release: 10 })
  expect(dependents).toMatchObject({
    release: { number: 10, endpoint: 'demo/production/greet' },
    callers: ['welcome-production'],
  })
  expect(dependentsText(dependents)).toBe(
    'release 10 (incomplete until the next deploy: demo/production/greet is missing), calls from welcome-production',
  )
})
