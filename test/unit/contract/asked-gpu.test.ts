import { expect, test } from 'vitest'
import { endpointConfig, endpointCreate, endpointUpdate } from '../../../src-main/contract/endpoint.ts'

const WHY = 'must name a GPU. For no GPU, leave it out, or send null to remove it from an endpoint'

test.each(['none', ' None'])('%j is not taken as the name of a GPU', (gpu) => {
  const container = { gpu }
  const refused = [{ path: ['container', 'gpu'], message: WHY }]
  expect(endpointCreate.safeParse({ name: 'e', handler: '/h.py', container }).error?.issues).toMatchObject(refused)
  expect(endpointUpdate.safeParse({ container }).error?.issues).toMatchObject(refused)
})

test('null removes a GPU, and settings that were stored before stay readable', () => {
  expect(endpointUpdate.parse({ container: { gpu: null } })).toEqual({ container: { gpu: null } })
  expect(endpointConfig.parse({ name: 'e', container: { gpu: 'none' } }).container?.gpu).toBe('none')
})
