import { expect, test } from 'vitest'
import { createOutput, size } from '../../../../src-main/app/cli/output.ts'
import { ago } from '../../../../src-main/lib/text.ts'
import { NOW, surroundingsOf } from './support.ts'

function setup(terminal: { isTTY?: true; env?: Record<string, string> } = {}) {
  const { surroundings, written } = surroundingsOf('/', terminal.env === undefined ? {} : { env: terminal.env })
  const stdout = { ...surroundings.stdout, isTTY: terminal.isTTY }
  return { output: createOutput({ ...surroundings, stdout }, false), written }
}

test('a table is aligned, and its last column is not padded', () => {
  const { output, written } = setup()
  output.table(
    ['ID', 'STATE', 'WHY'],
    [
      ['a', 'FAILED', ''],
      ['long-id', 'OK', 'because'],
    ],
  )
  expect(written.stdout).toBe('ID       STATE   WHY\na        FAILED\nlong-id  OK      because\n')
})

test('a coloured cell is as wide as its text', () => {
  const { output, written } = setup({ isTTY: true })
  output.table(['S', 'N'], [[output.paint('red', 'FAILED'), '1']])
  expect(written.stdout.split('\n')[1]).toBe('\u001b[31mFAILED\u001b[39m  1')
})

test.each([
  ['a pipe', {}],
  ['NO_COLOR', { isTTY: true, env: { NO_COLOR: '1' } }],
  ['a dumb terminal', { isTTY: true, env: { TERM: 'dumb' } }],
] as const)('there are no colours with %s', (_name, terminal) => {
  expect(setup(terminal).output.paint('red', 'x')).toBe('x')
})

test('a text from outside cannot move the cursor, forge a row or change the order of its letters', () => {
  const { output, written } = setup({ isTTY: true })
  const hostile = 'a\u001b[2K\rb\u001b]0;t\u0007\u202ec\u2066d\u009be'
  output.table(['NAME', 'N'], [[`${hostile}\nx 9`, output.paint('red', hostile)]])
  output.line(hostile)
  output.fields([['name', hostile]])
  output.hint(hostile)
  output.note(hostile)
  output.document({ hostile })
  const all = written.stdout + written.stderr
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours that `paint` writes
  expect(all.replace(/\u001b\[(?:1|22|31|39|90)m/g, '')).toBe(
    [
      `${'NAME'.padEnd(17)}  N`,
      'a[2K b]0;tcde x 9  a[2Kb]0;tcde',
      'a[2Kb]0;tcde',
      'name  a[2Kb]0;tcde',
      'a[2Kb]0;tcde',
      '{"hostile":"a\\u001b[2K\\rb\\u001b]0;t\\u0007\\u202ec\\u2066d\\u009be"}',
      'a[2Kb]0;tcde\n',
    ].join('\n'),
  )
})

test('the further lines of a value stand under its first', () => {
  const { output, written } = setup()
  output.fields([
    ['id', '7'],
    ['error', 'a\nb'],
    ['left out', undefined],
  ])
  expect(written.stdout).toBe('id     7\nerror  a\n       b\n')
})

test('times are relative, also where a clock was set back', () => {
  expect([ago(NOW - 14_000, NOW), ago(NOW, NOW), ago(NOW + 5000, NOW)]).toEqual(['14 s ago', 'just now', 'in 5 s'])
})

test('sizes are in binary units', () => {
  expect([0, 1023, 1024, 10 * 1024 ** 2, 200 * 1024 ** 3].map(size)).toEqual([
    '0 B',
    '1023 B',
    '1.0 KiB',
    '10 MiB',
    '200 GiB',
  ])
})
