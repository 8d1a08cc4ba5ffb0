import { describe, expect, test } from 'vitest'
import { findResults, isBase64, plainName } from '../../../../../src-main/features/workflows/rules/runs/find-results.ts'

const LONG = 'iVBORw0KGgo'.repeat(20)
const base64 = (data: string) => ({ kind: 'base64', data })

describe('results', () => {
  test('are in the list, with their names and nodes', () => {
    const output = {
      images: [
        { filename: 'a.png', type: 'base64', data: LONG, node: '9' },
        { filename: 'b.png', type: 's3_url', data: 'https://x/b.png' },
        { filename: 'c.txt', type: 'text', data: 'words' },
      ],
      videos: [{ filename: 'd.mp4', data: `data:video/mp4;base64,${LONG}` }],
      errors: ['one', 2],
    }
    expect(findResults(output)).toEqual({
      results: [
        { filename: 'a.png', node: '9', content: base64(LONG) },
        { filename: 'b.png', node: undefined, content: { kind: 'address', url: 'https://x/b.png' } },
        { filename: 'c.txt', node: undefined, content: { kind: 'text', text: 'words' } },
        { filename: 'd.mp4', node: undefined, content: base64(LONG) },
      ],
      errors: ['one'],
    })
  })

  test.each([
    ['a data URI', `data:image/jpg;base64,${LONG}`],
    ['bare base64', LONG],
  ])('of the older form are %s', (_name, message) => {
    const one = [{ filename: undefined, node: undefined, content: base64(LONG) }]
    expect(findResults({ message, status: 'success' }).results).toEqual(one)
    expect(findResults(message).results).toEqual(one)
    expect(findResults({ images: [message] }).results).toEqual(one)
  })

  test('are not words, and those of a fault are an error', () => {
    expect(findResults({ message: 'done', status: 'success' })).toEqual({ results: [], errors: [] })
    expect(findResults({ message: `${'many words '.repeat(30)}` }).results).toEqual([])
    expect(findResults({ message: 'no memory', status: 'error' })).toEqual({ results: [], errors: ['no memory'] })
  })

  test.each([[undefined], [null], [7], [[]], [{ images: 'x', errors: 'y' }], [{ images: [null, 1, {}, { data: 5 }] }]])(
    'of %j are none',
    (output) => expect(findResults(output)).toEqual({ results: [], errors: [] }),
  )

  test('are the first 500, and it says so', () => {
    const images = Array.from({ length: 501 }, (_one, at) => ({ filename: `${at}.png`, data: LONG }))
    const { results, errors } = findResults({ images })
    expect(results).toHaveLength(500)
    expect(errors).toEqual(['Only the first 500 of 501 results were stored.'])
    expect(findResults({ images: images.slice(1) }).errors).toEqual([])
  })
})

test('distinguishes base64 from other text', () => {
  const given = ['aGk=', 'aGk', 'a-_b', 'aGk=\n', 'a Gk=', '', 'a=b', 'ü', 'not base64!']
  expect(given.map(isBase64)).toEqual([true, true, true, true, true, false, false, false, false])
})

test('a name is the last part of its path, without what no file name holds', () => {
  const names = ['a.png', 'x/../../b.png', 'c:\\d.png', 'e\u0000"f.png', '..', '', `${'x'.repeat(300)}.png`]
  expect(names.map(plainName)).toEqual([
    ...['a.png', 'b.png', 'd.png', 'e__f.png', undefined, undefined, 'x'.repeat(255)],
  ])
})
