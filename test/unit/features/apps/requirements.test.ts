import { describe, expect, test } from 'vitest'
import {
  isPackageName,
  normaliseName,
  parseRequirement,
} from '../../../../src-main/features/apps/rules/requirements.ts'

test.each([
  ['Pillow', 'pillow'],
  ['ruamel.yaml', 'ruamel-yaml'],
  ['a__b-.c', 'a-b-c'],
])('the name %s is compared as %s', (given, name) => {
  expect(normaliseName(given)).toBe(name)
})

describe('a requirement is read', () => {
  test.each([
    ['requests', 'requests', 'requests'],
    ['  Requests  ', 'requests', 'requests'],
    ['requests~=2.31', 'requests', 'requests~=2.31'],
    ['requests ~= 2.31', 'requests', 'requests~=2.31'],
    ['requests >=2, <3', 'requests', 'requests<3,>=2'],
    ['requests (>=2,<3)', 'requests', 'requests<3,>=2'],
    ['torch==2.1.0+cu118', 'torch', 'torch==2.1.0+cu118'],
    ['numpy==1.*', 'numpy', 'numpy==1.*'],
    ['a===1.0-weird', 'a', 'a===1.0-weird'],
    ['Uvicorn[Standard, watch_files]>=0.2', 'uvicorn', 'uvicorn[standard,watch-files]>=0.2'],
    ['x[]', 'x', 'x'],
    ['x ; python_version < "3.12"', 'x', 'x; python_version < "3.12"'],
    [
      'x>=1;  python_version<"3.12"  and sys_platform=="linux"',
      'x',
      'x>=1; python_version<"3.12" and sys_platform=="linux"',
    ],
    ['x @ https://example.com/x-1.0-py3-none-any.whl', 'x', 'x @ https://example.com/x-1.0-py3-none-any.whl'],
    [
      'x[e]@https://example.com/a;b.whl ; os_name == "posix"',
      'x',
      'x[e] @ https://example.com/a;b.whl ; os_name == "posix"',
    ],
    [
      'https://e.com/My_Pkg-1.0+cu118-py3-none-any.whl',
      'my-pkg',
      'my-pkg @ https://e.com/My_Pkg-1.0+cu118-py3-none-any.whl',
    ],
    ['https://e.com/My_Pkg-1.0%2Bcu118-cp312-cp312-linux_x86_64.whl#sha256=ab', 'my-pkg', undefined],
    ['git+https://e.com/r.git#egg=Some.Thing', 'some-thing', undefined],
    ['x==1 --hash=sha256:aa --hash sha256:bb', 'x', 'x==1 --hash=sha256:aa --hash=sha256:bb'],
  ])('%s', (given, name, text) => {
    const read = parseRequirement(given)
    expect(read).toEqual({ name, text: text ?? expect.any(String) })
  })
})

describe('an invalid requirement is refused with the reason', () => {
  test.each([
    ['', 'name'],
    ['./local', 'path'],
    ['../up', 'path'],
    ['/abs/x.whl', 'path'],
    ['~/x', 'path'],
    ['C:\\x', 'path'],
    ['-e .', 'name'],
    ['x==', 'version'],
    ['x 1.0', 'version'],
    ['x=1.0', 'version'],
    ['x>=1 <2', 'version'],
    ['x[a b]', 'extras'],
    ['x;', 'marker'],
    ['x @', 'address'],
    ['x @ notanaddress', 'address'],
    ['https://e.com/archive.zip', 'NAME @ ADDRESS'],
    ['x; --index-url https://e.com', 'marker'],
    ['x\n--index-url https://e.com', 'version'],
  ])('%s', (given, why) => {
    expect(parseRequirement(given)).toEqual({ why: expect.stringContaining(why) })
  })
})

test('the same requirement in two spellings has one text', () => {
  const texts = ['My.Pkg [b,A] <3,>=2', 'my_pkg[a,b]>=2,<3'].map(parseRequirement)
  expect(texts[0]).toEqual(texts[1])
})

test('only the plain name of a package is one', () => {
  expect(['torch', 'ruamel.yaml', 'a'].every(isPackageName)).toBe(true)
  expect(['', 'torch==1', '-x', 'a b', 'x;y'].some(isPackageName)).toBe(false)
})
