import { expect, test } from 'vitest'
import { longestSecret, payloadPreview } from '../../../../src-main/features/jobs/rules/payload-preview.ts'

const SECRET = 'hunter2-hunter2'

test.each([
  ['at most so long', '12345', 5, '12345'],
  ['cut where it is longer', '123456', 5, '1234…'],
  ['on one line', '{\n  "a": 1,\n\t"b": 2\n}', 100, '{ "a": 1, "b": 2 }'],
  ['with secrets masked', `{"key":"Bearer ${SECRET}"}`, 100, '{"key":"Bearer ***"}'],
  ['with one that JSON escapes', '{"key":"hunter2\\u002dhunter2"}', 100, '{"key":"***"}'],
  ['with one in a string that is cut', `{"text":"x ${SECRET} and so on`, 100, '{"text":"x *** and so on"'],
  ['cut within an escape', `{"text":"${SECRET}\\u00`, 100, '{"text":"***"'],
  ['cut after a backslash', '{"text":"a\\', 100, '{"text":"a"'],
  ['that is no text', '[1,2', 100, '[1,2'],
])('a preview is %s', (_what, head, length, shown) => {
  expect(payloadPreview(head, [SECRET], length)).toBe(shown)
})

test('a secret that begins in the shown part is read whole', () => {
  const length = 20
  const json = `{"text":"0123456${'\\u0068unter2-hunter2'} and so on"}`
  const head = json.slice(0, length + longestSecret([SECRET]))
  expect(payloadPreview(head, [SECRET], length)).toBe('{"text":"0123456***…')
  expect(longestSecret([])).toBe(0)
})

test.each([
  ['spaces before it go', `{"text":"${' '.repeat(90)}`],
  ['masks are shorter than what was there', `{"text":"${SECRET.repeat(6)}`],
])('a secret that is cut at the end of the head is not shown where %s', (_what, before) => {
  const length = 20
  const json = `${before}${SECRET} and so on, ${SECRET.repeat(20)}"}`
  for (let cut = 0; cut < SECRET.length; cut++) {
    const head = `${' '.repeat(cut)}${json}`.slice(0, length + longestSecret([SECRET]))
    expect(payloadPreview(head, [SECRET], length)).not.toContain('hunter2')
  }
})
