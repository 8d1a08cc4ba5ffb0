import { describe, expect, it, test } from 'vitest'
import { errorLine, errorText, readJobError, shortError } from '../../../../src-main/features/jobs/rules/read-error.ts'

it('the error of a job is read where an SDK wrote it, and is a text where anybody else did', () => {
  const written = {
    error_type: "<class 'torch.cuda.OutOfMemoryError'>",
    error_message: 'no\nmemory',
    error_traceback: 'T',
  }
  expect(readJobError(JSON.stringify(written))).toEqual({
    type: 'OutOfMemoryError',
    message: 'no\nmemory',
    traceback: 'T',
  })
  expect(readJobError('{"error_message": "no"}')).toEqual({ message: 'no' })
  for (const text of ['plain', '', '{"other": 1}', '{broken', '{"error_message": 1}'])
    expect(readJobError(text)).toEqual({ message: text })
})

const RAISED = 'Traceback (most recent call last):\n  File "/a.py", line 1, in f\n    x\nValueError: no face\n'

describe('an error', () => {
  const given = JSON.stringify({
    error_type: 'ValueError',
    error_message: 'no "face"\nin it',
    error_traceback: 'Traceback\n  x\n',
  })

  test.each([
    ['out of memory', 'out of memory'],
    ['Traceback (most recent call last):\n  File "x"\nValueError: no face\n', 'ValueError: no face'],
    [given, 'ValueError: no "face"'],
    [given.slice(0, -5), 'ValueError: no "face"'],
    [`{"error_type": "<class 'KeyError'>", "error_message": "'name'", "error_tra…`, "KeyError: 'name'"],
    [`{"error_type": "<class 'torch.cuda.OutOfMemoryError'>", "error_message": "no"}`, 'OutOfMemoryError: no'],
    ['{"error_message": "no", "error_traceback": ""}', 'no'],
    ['{"message":"no \\"face\\"","node":"3"}', 'Node 3: no "face"'],
    ['{"message":"no \\"face\\"","node":"3", "tra…', 'no "face"'],
    [JSON.stringify({ error_message: '{"message":"no face","node":"3"}' }), 'Node 3: no face'],
    [
      `{"error_type": "<class 'RuntimeError'>", "error_message": "${'a long one '.repeat(3)}`,
      `RuntimeError: ${'a long one '.repeat(3).trim()}`,
    ],
    ['{"error_type": "<class \'RuntimeError\'>", "error_message": "half \\u00', 'RuntimeError: half'],
    [
      JSON.stringify({ error_type: "<class 'AssertionError'>", error_message: '', error_traceback: 'T' }),
      'AssertionError',
    ],
    ['', ''],
    ['{"code": 5, "error": "no face"}', 'no face'],
    ['{"error": {"type": "x", "message": "no face\\nin it"}}', 'no face'],
    ['{"detail": "no face"}', 'no face'],
    ['{"other": 1}', '{"other": 1}'],
    [`the model failed:\n${RAISED}`, 'ValueError: no face'],
    [JSON.stringify({ error_type: "<class 'RuntimeError'>", error_message: RAISED }), 'ValueError: no face'],
    [JSON.stringify({ status: 500, detail: RAISED }), 'ValueError: no face'],
    [`500 of upstream: ${JSON.stringify({ detail: RAISED })}`, 'ValueError: no face'],
  ])('%j says most in %j', (error, line) => {
    expect(errorLine(error)).toBe(line)
  })

  test.each([
    [given, 'ValueError: no "face"\nin it\nTraceback\n  x'],
    ['{not json', '{not json'],
    ['plain', 'plain'],
  ])('%j reads as %j', (error, text) => {
    expect(errorText(error)).toBe(text)
  })
})

it('a traceback that a handler returned is read as one', () => {
  const text = 'Traceback (most recent call last):\n  File "/app/a.py", line 1, in f\n    x\na.NoFace: no\n  face\n'
  expect(readJobError(text)).toEqual({ type: 'NoFace', message: 'no\n  face', traceback: text })
})

describe('an error for a row of a list', () => {
  const long = 'no face, "é" \n'.repeat(200)
  const written = JSON.stringify({
    error_type: "<class 'ValueError'>",
    error_traceback: 'T'.repeat(9000),
    error_message: long,
  })

  test.each([
    ['what an SDK wrote', written],
    ['a traceback', `Traceback (most recent call last):\n  File "/a.py", line 1\nValueError: ${long}`],
    ['a text', long],
  ])('is cut so that %s says the same in one line', (_what, error) => {
    const short = shortError(error, 500)
    expect(short.length).toBeLessThanOrEqual(500)
    expect(short.length).toBeGreaterThan(400)
    expect(errorLine(short)).toBe(errorLine(error))
  })

  test('is whole where it is short enough', () => {
    expect(shortError('x'.repeat(500), 500)).toBe('x'.repeat(500))
    expect(shortError(`${'x'.repeat(300)}${'y'.repeat(300)}`, 500)).toMatch(/^x{248} … y{249}$/)
  })
})

it('of our runtime for Node the type is the name of the class', () => {
  const written = { error_type: 'RangeError', error_message: 'no', error_traceback: 'RangeError: no' }
  expect(readJobError(JSON.stringify(written)).type).toBe('RangeError')
})
