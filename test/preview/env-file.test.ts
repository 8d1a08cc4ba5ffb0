import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseEnvFile } from '../../src-main/lib/env-file.ts'

const PYTHON_PACKAGES = fileURLToPath(new URL('../../resources/python', import.meta.url))

const CASES: Readonly<Record<string, readonly [text: string, values: Readonly<Record<string, string>>]>> = {
  'plain values': ['A=1\nB = two words \n', { A: '1', B: 'two words' }],
  'a line with export': ['export A=1', { A: '1' }],
  'comments and lines that are none': [
    '# A=1\nnothing\n=x\n1A=x\nA=1 # one\nB=a#b\nC=# nothing',
    { A: '1', B: 'a#b', C: '' },
  ],
  'single quotes keep everything': [`A='a \\n $B # c' # comment`, { A: 'a \\n $B # c' }],
  'double quotes know escapes': ['A="a\\nb\\t\\"c\\" \\\\ \\x $B"', { A: 'a\nb\t"c" \\ x $B' }],
  'quoted values over several lines': [`A="one\ntwo"\nB='three\nfour'`, { A: 'one\ntwo', B: 'three\nfour' }],
  'the last of equal names': ['A=1\nA=2', { A: '2' }],
  'a byte order mark and ends of lines of Windows': ['\ufeffA=1\r\nB="x"\r\n', { A: '1', B: 'x' }],
  'an empty value': ['A=\nB=""', { A: '', B: '' }],
  'text after a closing quote is no quoted value': [`A='x' y`, { A: `'x' y` }],
}

test.each(Object.entries(CASES))('%s', (_name, [text, values]) => {
  expect(parseEnvFile(text)).toEqual(values)
})

test('the Python package reads the same', () => {
  const read =
    'import json, sys; from svc._env_file import parse_env; print(json.dumps([parse_env(t) for t in json.load(sys.stdin)]))'
  const texts = Object.values(CASES).map(([text]) => text)
  const env = { ...process.env, PYTHONPATH: PYTHON_PACKAGES }
  const answered = execFileSync('python3', ['-c', read], { input: JSON.stringify(texts), env, encoding: 'utf8' })
  expect(JSON.parse(answered)).toEqual(texts.map((text) => parseEnvFile(text)))
})
