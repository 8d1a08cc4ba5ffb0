import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEnvFile } from '../../../../src-main/app/cli/find-service.ts'
import { parseEnvFile } from '../../../../src-main/lib/env-file.ts'
import { temporaryFolder } from './support.ts'

// The cases of the Python package: test/python/package/test_env_file.py. Both read the same files.
test.each([
  ['plain values', 'A=1\nB = two words \nC=\n', { A: '1', B: 'two words', C: '' }],
  ['export', 'export A=1\n  export\tB=2', { A: '1', B: '2' }],
  ['quotes', `A='a b'\nB="c d"\nC=it's\nD='say "hi"'`, { A: 'a b', B: 'c d', C: "it's", D: 'say "hi"' }],
  [
    'escapes in double quotes only',
    [String.raw`A="a\nb\t\"c\" \\ \$x"`, String.raw`B='a\nb'`, String.raw`C=a\nb`].join('\n'),
    { A: 'a\nb\t"c" \\ $x', B: String.raw`a\nb`, C: String.raw`a\nb` },
  ],
  [
    'line breaks within quotes',
    `KEY="-----BEGIN\nabc\n-----END"\nB='1\n2'\nC=3`,
    { KEY: '-----BEGIN\nabc\n-----END', B: '1\n2', C: '3' },
  ],
  [
    'comments',
    `# A=0\n  # x\nA=1 # one\nB=a#b\nC='x # y' # z\nD="x"#z\nE= # only\n`,
    { A: '1', B: 'a#b', C: 'x # y', D: 'x', E: '' },
  ],
  ['nothing that is substituted', 'A=$HOME/$(B)', { A: '$HOME/$(B)' }],
  ['other lines, which are passed over', 'hello\n=1\n1A=2\nA B=3\n\nC=4', { C: '4' }],
  ['Windows line ends and a byte order mark', "\ufeffA=1\r\nB='x'\r\n", { A: '1', B: 'x' }],
  ['an unclosed quote as part of the value', 'A="abc\nB=2', { A: '"abc', B: '2' }],
  ['the last of equal names', 'A=1\nA=2', { A: '2' }],
  ['a lone carriage return within a line', "A='x'\ry\nB=1", { A: "'x'\ry", B: '1' }],
])('a file is read with %s', (_what, text, values) => {
  expect(parseEnvFile(text)).toEqual(values)
})

test('the nearest file counts, from the folder upward', async () => {
  const folder = temporaryFolder()
  const inner = join(folder, 'a', 'b')
  mkdirSync(inner, { recursive: true })
  writeFileSync(join(folder, '.env'), 'A=outer')
  expect(await readEnvFile(inner)).toEqual({ A: 'outer' })
  writeFileSync(join(folder, 'a', '.env'), 'A=near')
  expect(await readEnvFile(inner)).toEqual({ A: 'near' })
})

test('a folder with the name of the file is passed over', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'a', '.env'), { recursive: true })
  writeFileSync(join(folder, '.env'), 'A=1')
  expect(await readEnvFile(join(folder, 'a'))).toEqual({ A: '1' })
})
