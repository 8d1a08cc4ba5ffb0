import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { javascriptLiteral, pythonLiteral } from '../../../../../src-main/features/jobs/rules/requests/sample-call.ts'
import { shellQuoted } from '../../../../../src-main/lib/text.ts'

describe('a literal of JavaScript', () => {
  it('is the same value, whatever the JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const { code, isText } = javascriptLiteral(text)
        const value: unknown = runInNewContext(`(${code})`)
        const sent = isText ? String(value) : JSON.stringify(value)
        expect(JSON.parse(sent)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('is a text where a literal would be another value', () => {
    expect(javascriptLiteral('{"__proto__": 1}').isText).toBe(true)
    expect(javascriptLiteral('{"\\u005f_proto__": 1}').isText).toBe(true)
    expect(javascriptLiteral('[12345678901234567890]').isText).toBe(true)
    expect(javascriptLiteral('{"a": [1.5, -0, "12345678901234567890"]}').isText).toBe(false)
  })
})

describe('a literal of Python', () => {
  it('has the words of Python, and none of them within strings', () => {
    expect(pythonLiteral('{"true":[true,false,null,"null"],"e":{},"n":1.0,"s":"\\/\\u00e4"}')).toBe(
      `{
    "true": [
        True,
        False,
        None,
        "null"
    ],
    "e": {},
    "n": 1.0,
    "s": "/ä"
}`,
    )
  })

  it('stands at the depth of the code around it', () => {
    expect(pythonLiteral('{"a":1}', 1)).toBe('{\n        "a": 1\n    }')
  })
})

it('a word of a shell ends nowhere but at its end', () => {
  expect(shellQuoted(`it's $x \`id\` "q"`)).toBe(`'it'\\''s $x \`id\` "q"'`)
})
