import { expect, test } from 'vitest'
import { findCalls } from '../../../../src-main/features/apps/rules/find-calls.ts'
import { scanned, scannedFunction } from './scan-support.ts'

const named = (name: string, more: Parameters<typeof scanned>[0] = {}) =>
  scanned({ name, functions: [scannedFunction({ name: `${name}_it` })], ...more })

test('a call names the endpoint that has the function, once for each called endpoint', () => {
  const mood = named('mood', { functions: [scannedFunction({ name: 'rate' }), scannedFunction({ name: 'rank' })] })
  const api = named('api', { kind: 'load-balanced', calls: ['clean_it', 'rank', 'rate'] })
  expect(findCalls([api, named('clean'), mood])).toEqual([
    { from: 'api', to: 'clean', functions: ['clean_it'] },
    { from: 'api', to: 'mood', functions: ['rank', 'rate'] },
  ])
})

test('an image is called by its own name', () => {
  const image = named('painter', { kind: 'image', functions: [] })
  expect(findCalls([named('api', { calls: ['painter'] }), image])).toEqual([
    { from: 'api', to: 'painter', functions: ['painter'] },
  ])
})

test('a function of no endpoint, or of the calling endpoint itself, does not count as a call', () => {
  const client = scanned({ name: null, kind: 'client', functions: [] })
  const older = scanned({ name: 'older' })
  delete older.calls
  expect(findCalls([named('api', { calls: ['api_it', 'elsewhere'] }), client, older])).toEqual([])
})

test('a resource of an App is called by the name of its function, or of its class of routes', () => {
  const web = named('web', {
    kind: 'load-balanced',
    sdk: 2,
    qualname: 'Web',
    functions: [scannedFunction({ name: 'order', httpMethod: 'POST', httpPath: '/order' })],
  })
  const train = named('nightly', { kind: 'task', sdk: 2, qualname: 'train', calls: ['Web', 'order'] })
  expect(findCalls([web, train])).toEqual([{ from: 'nightly', to: 'web', functions: ['Web'] }])
})
