import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lastLine } from '../../../../src-main/features/workers/rules/crash-loop.ts'

const TRACEBACK = [
  'Traceback (most recent call last):',
  '  File "handler.py", line 3, in <module>',
  '    import torch',
  "ModuleNotFoundError: No module named 'torch'",
]
const ESCAPE = String.fromCharCode(27)

describe('last words', () => {
  it.each([
    ['a traceback is told by its last line', TRACEBACK, "ModuleNotFoundError: No module named 'torch'"],
    [
      'what is printed after a traceback does not hide it',
      [...TRACEBACK, 'sys:1: note', ''],
      "ModuleNotFoundError: No module named 'torch'",
    ],
    [
      'of two tracebacks the second counts',
      [
        ...TRACEBACK,
        '',
        'During handling of the above exception, another exception occurred:',
        '',
        TRACEBACK[0] ?? '',
        '  File "a.py"',
        'KeyError: 1',
      ],
      'KeyError: 1',
    ],
    [
      'an exception of any name ends a traceback',
      [TRACEBACK[0] ?? '', '  File "a.py"', 'pkg.NoCredentials: none'],
      'pkg.NoCredentials: none',
    ],
    [
      'a traceback without its end is reported by its last line',
      ['Traceback (most recent call last):', '  File "a.py"'],
      'File "a.py"',
    ],
    [
      'a syntax error has no traceback',
      ['  File "/srv/a.py", line 12', '    def', '       ^', 'SyntaxError: invalid syntax'],
      'SyntaxError: invalid syntax (a.py, line 12)',
    ],
    [
      'a mistake in the source without its place is reported alone',
      ['  File "a.py", line 1', '', '', '', '', "IndentationError: expected an indented block after 'if'"],
      "IndentationError: expected an indented block after 'if'",
    ],
    [
      'an error of Node is found above its stack',
      ["Error: Cannot find module 'x'", '    at a (b.js:1)', '', 'Node.js v24'],
      "Error: Cannot find module 'x'",
    ],
    ['a coded error of Node is found', ['TypeError [ERR_X]: bad', '    at a'], 'TypeError [ERR_X]: bad'],
    ['a JSON log line is read by its message', ['{"level":"ERROR","message":"no weights"}'], 'no weights'],
    [
      'a traceback inside a JSON log line is read',
      [JSON.stringify({ message: TRACEBACK.join('\n') })],
      "ModuleNotFoundError: No module named 'torch'",
    ],
    [
      'the error of a job that failed before does not hide the end',
      [JSON.stringify({ message: `job failed\n${TRACEBACK.join('\n')}` }), 'CUDA out of memory'],
      'CUDA out of memory',
    ],
    [
      'jobs that failed say nothing of the end',
      [JSON.stringify({ message: 'job failed\nKeyError: 1' })],
      'exit code 1',
    ],
    ['a line that only looks like JSON stays', ['{broken'], '{broken'],
    ['JSON without a message stays', ['{"a":1}'], '{"a":1}'],
    ['colours are taken off', [`${ESCAPE}[31mValueError: red${ESCAPE}[0m`], 'ValueError: red'],
    ['without an error the last line that is not empty counts', ['loading', '  bye  ', '', '   '], 'bye'],
    ['without output the exit code counts', ['', ' '], 'exit code 1'],
  ])('%s', (_name, lines, words) => {
    expect(lastLine(lines, { code: 1 })).toBe(words)
  })

  it('a signal is named, with the last line after it', () => {
    expect(lastLine([], { signal: 'SIGKILL' })).toBe('killed by SIGKILL')
    expect(lastLine(['loading weights'], { signal: 'SIGKILL' })).toBe('killed by SIGKILL, after: loading weights')
    expect(lastLine(TRACEBACK, { signal: 'SIGABRT' })).toBe("ModuleNotFoundError: No module named 'torch'")
  })

  it('an exit code that is no usual one is named, with the last line after it', () => {
    expect(lastLine(['about to crash'], { code: 137 })).toBe('exit code 137, after: about to crash')
    expect(lastLine(['done'], { code: 0 })).toBe('exit code 0, after: done')
    expect(lastLine([], { code: 0 })).toBe(
      "exit code 0 and no output: a worker's program has to run until it is stopped",
    )
    expect(lastLine(TRACEBACK, { code: 3 })).toBe("ModuleNotFoundError: No module named 'torch'")
  })

  it('an end that nobody saw is said to be one', () => {
    expect(lastLine([], {})).toBe('ended without output')
  })

  it('300 characters pass, 301 are cut', () => {
    expect([299, 300, 301].map((length) => lastLine(['x'.repeat(length)], {}))).toEqual([
      'x'.repeat(299),
      'x'.repeat(300),
      `${'x'.repeat(148)} … ${'x'.repeat(149)}`,
    ])
  })

  // As the public SDK prints what nobody caught: one line, of which a long one is cut in its middle.
  const uncaught = (lines: readonly string[], cut = '') =>
    JSON.stringify({ requestId: null, level: 'ERROR', message: `Uncaught exception | [${cut}${lines.join(', ')}]` })

  it.each([
    [
      'a traceback on one line is reported by its exception',
      uncaught([
        "'Traceback (most recent call last):\\n'",
        '\'  File "/app/conc.py", line 3, in <module>\\n    start()\\n\'',
        `"TypeError: unsupported operand type(s) for -: 'NoneType' and 'int'\\n"`,
      ]),
      "TypeError: unsupported operand type(s) for -: 'NoneType' and 'int'",
    ],
    [
      'one that was cut in its middle too',
      uncaught(
        ["'    self.run()\\n'", "'app.NoWeights: /models/a.bin is missing\\n'"],
        `'Traceback (most recent call last):\\n', '  File "/a.py", li\n...TRUNCATED 91 CHARACTERS...\nne 3\\n', `,
      ),
      'app.NoWeights: /models/a.bin is missing',
    ],
  ])('%s', (_name, line, words) => {
    expect(lastLine(['loading', line], { code: 1 })).toBe(words)
  })

  it('a long exception keeps its kind and its end', () => {
    const words = lastLine([`ValueError: ${'x'.repeat(9000)} at /models/a.bin`], { code: 1 })
    expect([words.length, words]).toEqual([300, expect.stringMatching(/^ValueError: x+ … x+ at \/models\/a\.bin$/)])
  })

  it('an error far above the end is old news', () => {
    expect(lastLine(['ValueError: old', ...Array.from({ length: 300 }, (_, n) => `line ${n}`)], { code: 1 })).toBe(
      'line 299',
    )
  })

  it('any output gives 1 to 300 characters on one line', () => {
    const line = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom(...TRACEBACK),
      fc.record({ message: fc.string() }).map((value) => JSON.stringify(value)),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const words = lastLine(lines, { code: 1 })
        expect(words.length).toBeGreaterThan(0)
        expect(words.length).toBeLessThanOrEqual(300)
        expect(words).not.toMatch(/\n/)
      }),
    )
  })
})
