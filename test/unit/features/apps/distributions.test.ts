import { expect, test } from 'vitest'
import {
  chooseRemovals,
  type Distribution,
  readMetadata,
  readRecord,
} from '../../../../src-main/features/apps/rules/distributions.ts'

const distribution = (name: string, needs: readonly string[] = [], files = [`${name}/__init__.py`]): Distribution => ({
  name,
  version: '1.0',
  needs,
  requires: needs,
  files,
})

test('metadata is read up to the first empty line', () => {
  const text = [
    'Metadata-Version: 2.1',
    'Name: Some_Package',
    'Version: 1.2',
    'Requires-Dist: numpy>=1',
    'Requires-Dist: Torch (>=2) ; extra == "gpu"',
    'Requires-Dist: numpy<3',
    '',
    'Name: of a chapter',
    'Requires-Dist: nothing',
  ].join('\r\n')
  expect(readMetadata(text)).toEqual({
    name: 'some-package',
    version: '1.2',
    needs: ['numpy', 'torch'],
    requires: ['numpy>=1', 'Torch (>=2) ; extra == "gpu"', 'numpy<3'],
  })
})

test('a record gives the paths inside of the folder only', () => {
  const text = [
    'PIL/__init__.py,sha256=a,10',
    '"odd,""name"".py",sha256=b,1',
    '../../bin/tool,sha256=c,5',
    '/etc/passwd,,',
    'a/../../../etc/passwd,,',
    'C:/x,,',
    'pillow-10.dist-info/RECORD,,',
    '',
  ].join('\n')
  expect(readRecord(text)).toEqual(['PIL/__init__.py', 'odd,"name".py', 'bin/tool', 'pillow-10.dist-info/RECORD'])
})

test('an excluded distribution goes, with what came only for it', () => {
  const installed = [
    distribution('app', ['torch', 'jinja2']),
    distribution('torch', ['nvidia-cublas', 'jinja2', 'sympy']),
    distribution('nvidia-cublas'),
    distribution('sympy', ['mpmath']),
    distribution('mpmath', ['sympy']),
    distribution('jinja2', ['markupsafe']),
    distribution('markupsafe'),
  ]
  const { removed, files } = chooseRemovals(installed, new Set(['torch']), ['app'])
  expect(removed).toEqual(['mpmath', 'nvidia-cublas', 'sympy', 'torch'])
  expect(files).toEqual(['torch/__init__.py', 'nvidia-cublas/__init__.py', 'sympy/__init__.py', 'mpmath/__init__.py'])
})

test('a package that the app neither needs nor names stays, because it may have come in another way', () => {
  expect(chooseRemovals([distribution('a'), distribution('b')], new Set(['torch']), ['a']).removed).toEqual([])
})

test('a file that a remaining distribution has too is kept', () => {
  const installed = [
    distribution('a', [], ['shared/__init__.py', 'shared/a.py']),
    distribution('b', [], ['shared/__init__.py', 'shared/b.py']),
  ]
  expect(chooseRemovals(installed, new Set(['a']), ['a', 'b']).files).toEqual(['shared/a.py'])
})
