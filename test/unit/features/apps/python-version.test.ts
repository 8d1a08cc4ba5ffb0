import { expect, test } from 'vitest'
import { choosePythonVersion } from '../../../../src-main/features/apps/rules/collect-requirements.ts'
import { scanned } from './scan-support.ts'

const withVersion = (name: string, version?: string) =>
  scanned({ name, settings: version === undefined ? {} : { python_version: version } })

test("the user's word counts most, then the endpoints', then this machine's", () => {
  const endpoints = [withVersion('a', '3.11'), withVersion('b'), withVersion('c', '3.11')]
  expect(choosePythonVersion({ asked: '3.13', endpoints, local: '3.10' })).toEqual({ version: '3.13' })
  expect(choosePythonVersion({ endpoints, local: '3.10' })).toEqual({ version: '3.11' })
  expect(choosePythonVersion({ endpoints: [withVersion('b')], local: '3.10' })).toEqual({ version: '3.10' })
})

test.each([['3.14'], ['3.9'], [undefined]])('a machine with Python %s builds for 3.12', (local) => {
  expect(choosePythonVersion({ endpoints: [], local })).toEqual({ version: '3.12' })
})

test('endpoints that ask for several are named, and --python settles it', () => {
  const endpoints = [withVersion('a', '3.11'), withVersion('b', '3.12')]
  expect(choosePythonVersion({ endpoints, local: '3.11' })).toEqual({
    problem: {
      code: 'PYTHON_CONFLICT',
      message:
        'An app has one Python version, but its endpoints ask for several: "a" for 3.11, "b" for 3.12. Give them the same, or choose one with --python.',
      file: 'worker.py',
      line: 3,
    },
  })
  expect(choosePythonVersion({ asked: '3.12', endpoints })).toEqual({ version: '3.12' })
})

test.each(['3.9', '3.14', '3', 'three'])('--python %s is refused with what is possible', (asked) => {
  expect(choosePythonVersion({ asked, endpoints: [] })).toMatchObject({
    problem: { code: 'PYTHON_UNSUPPORTED', message: expect.stringContaining('3.10, 3.11, 3.12, 3.13') },
  })
})
