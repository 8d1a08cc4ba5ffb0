import { expect, test } from 'vitest'
import { concernedEndpoints } from '../../../../../src-main/features/apps/commands/preview/changed-code.ts'

const numpy = { name: 'numpy', version: '1.0', bytes: 1 }

/** A build of two endpoints; what is given differs from it. */
function built(codes: Readonly<Record<string, string | undefined>> = {}, more: object = {}) {
  const endpoints = Object.entries({ greet: 'a', shout: 'a', ...codes }).map(([name, code]) => ({
    name,
    kind: 'queue',
    ...(code === undefined ? {} : { code }),
  }))
  return { endpoints, packages: [numpy], pythonVersion: '3.11', ...more }
}

test.each([
  ['those whose code is another', built(), built({ shout: 'b' }), ['shout']],
  ['nobody where no code is another', built(), built(), []],
  ['new ones', built(), built({ extra: 'a' }), ['extra']],
  ['not those that are gone', built({ extra: 'a' }), built(), []],
  ['those of which nobody knows what they load', built({ shout: undefined }), built({ shout: undefined }), ['shout']],
  ['those of which it is known now', built({ shout: undefined }), built(), ['shout']],
  ['all, with another package', built(), built({}, { packages: [] }), undefined],
  ['all, with another version of one', built(), built({}, { packages: [{ ...numpy, version: '2.0' }] }), undefined],
  ['all, with another Python', built(), built({}, { pythonVersion: '3.12' }), undefined],
])('a change of Python files concerns %s', (_name, live, next, concerned) => {
  expect(concernedEndpoints(live, next, ['a.py', 'pkg/b.py'])).toEqual(concerned)
})

test.each([
  ['a file that is no Python', ['a.py', 'data.json']],
  ['a file whose name only ends like Python', ['a.pyx']],
  ['files of which none is known', []],
  ['files that are not known', undefined],
])('a change of %s concerns all', (_name, files) => {
  expect(concernedEndpoints(built(), built({ shout: 'b' }), files)).toBeUndefined()
})
