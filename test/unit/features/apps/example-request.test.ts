import { expect, test } from 'vitest'
import { exampleRequest, firstRoute } from '../../../../src-main/features/apps/rules/examples.ts'

test('a first try goes to a route that only reads, where one has no parts to fill in', () => {
  expect(firstRoute(['POST /notes', 'GET /notes/{id}', 'GET /notes'])).toBe('GET /notes')
  expect(firstRoute(['GET /notes/{id}', 'POST /notes'])).toBe('POST /notes')
  expect(firstRoute(['GET /notes/{id}'])).toBeUndefined()
})

test('arguments go along as the body, or as the query where the method carries none', () => {
  const examples = { 'GET /find': { text: 'a b&c', n: 2, tags: ['x'] }, 'POST /notes': { text: 'Hello' } }
  expect(exampleRequest('GET /find', { examples })).toEqual({ method: 'GET', path: '/find?text=a+b%26c&n=2' })
  expect(exampleRequest('POST /notes', { examples })).toEqual({
    method: 'POST',
    path: '/notes',
    body: { text: 'Hello' },
  })
  expect(exampleRequest('GET /all', { examples })).toEqual({ method: 'GET', path: '/all' })
  expect(exampleRequest('DELETE /all', {})).toEqual({ method: 'DELETE', path: '/all' })
})
