import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson, readJson, strictJson } from '../../../../src-main/lib/json/parse.ts'
import { sameJson, withKey, writeJson } from '../../../../src-main/lib/json/value.ts'
import { objectOf, readWorkflowFile, workflowFiles } from '../../../support/workflow-files.ts'

const rewritten = (text: string, indent = 0) => {
  const read = readJson(text)
  return 'value' in read ? writeJson(read.value, indent) : read.fault
}

describe('JSON without loss', () => {
  test.each([
    ['keys in their order, whole numbers too', '{"11":1,"2":{"10":1,"9":2},"b":3,"a":4}'],
    ['a key that is special to JavaScript', '{"__proto__":{"polluted":true},"constructor":1}'],
    ['texts of any signs', '{"a\\u0000b":"line\\nbreak \\ud83d\\ude00 ☕"}'],
    ['nothing', '{"a":{},"b":[],"c":null}'],
  ])('keeps %s', (_what, text) => {
    const out = rewritten(text) as string
    expect(JSON.parse(out)).toEqual(JSON.parse(text))
    expect(rewritten(out)).toBe(out)
    expect([...out.matchAll(/"(\w+)":/g)].map(([, key]) => key)).toEqual(
      [...text.matchAll(/"(\w+)":/g)].map(([, key]) => key),
    )
  })

  test('keeps numbers as they were written', () => {
    const text = '[1.0,1,-0,1e400,18446744073709551615,9007199254740993,0.10]'
    expect(rewritten(text)).toBe(text)
  })

  test('any value comes back as it was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(rewritten(text)).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
  })

  test.each(workflowFiles)('%s is written back with the same keys, numbers and texts', (name) => {
    const text = readWorkflowFile(name)
    const squeezed = rewritten(text) as string
    expect(rewritten(rewritten(text, 2) as string)).toBe(squeezed)
    expect(JSON.stringify(JSON.parse(squeezed))).toBe(JSON.stringify(JSON.parse(text)))
  })

  const BARE = '{"a":NaN,"b":[-Infinity,"NaN",-1.50,{"x":NaN}],"NaN":Infinity}'

  test('keeps bare NaN and Infinity of Python, and the numbers and texts around them', () => {
    expect(rewritten(BARE)).toBe(BARE)
    expect(parseJson(BARE, { bare: 'refused' })).toBeUndefined()
    expect(parseJson('{"a": [1, "NaN"]}', { bare: 'refused' })).toBeDefined()
  })

  test('gives them as null to who knows JSON alone', () => {
    const strict = { a: null, b: [null, 'NaN', -1.5, { x: null }], NaN: null }
    expect(JSON.parse(strictJson(BARE))).toEqual(strict)
    expect(strictJson('["NaN and Infinity"]')).toBe('["NaN and Infinity"]')
    expect(writeJson(parseJson(BARE, { bare: 'null' }) ?? '')).toBe(strictJson(BARE))
  })

  test.each(['NaNs', '[NaN', 'nan', '{"a": Infinityx}', '--Infinity', 'NaN 1', '1NaN', 'NaN.5'])(
    '%s is no JSON',
    (text) => {
      expect(parseJson(text)).toBeUndefined()
    },
  )

  test.each([
    ['', 'value expected', 1, 1],
    ['{"a": 1,}', 'property name expected', 1, 9],
    ['{"a"\n 1}', 'colon expected', 2, 2],
    ['{"a": 1} x', 'invalid symbol', 1, 10],
    ['[1, 2', 'close bracket expected', 1, 6],
    ['{// a\n}', 'invalid comment token', 1, 2],
  ])('says what is wrong with %j, and where', (text, why, line, column) => {
    expect(readJson(text)).toEqual({ fault: { why, line, column } })
  })

  test('does not fall over what is nested a hundred thousand times', () => {
    expect(readJson('['.repeat(100_000))).toMatchObject({ fault: { why: 'it is nested too deeply' } })
  })

  test('sameness looks at the order of keys and the text of numbers', () => {
    const same = (one: string, other: string) => sameJson(objectOf(one), objectOf(other))
    expect(same('{"a":[1,{"b":null}]}', '{"a": [1, {"b": null}]}')).toBe(true)
    expect(same('{"a":1,"b":2}', '{"b":2,"a":1}')).toBe(false)
    expect(same('{"a":1}', '{"a":1.0}')).toBe(false)
    expect(same('{"a":[]}', '{"a":{}}')).toBe(false)
  })

  test('a changed key stays at its place, a new one comes last', () => {
    const object = objectOf('{"a":1,"b":2}')
    expect([...withKey(object, 'a', 'x')]).toEqual([
      ['a', 'x'],
      ['b', { number: '2' }],
    ])
    expect([...withKey(object, 'c', null).keys()]).toEqual(['a', 'b', 'c'])
    expect([...withKey(object, 'a', undefined).keys()]).toEqual(['b'])
  })
})
