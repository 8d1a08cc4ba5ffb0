import { expect, test } from 'vitest'
import { BuildFailure } from '../../../../src-main/contract/build.ts'
import { AppError } from '../../../../src-main/contract/errors.ts'
import { problemsOf } from '../../../../src-main/features/projects/builds.ts'

const ofSystem = (code: string) => Object.assign(new Error(`${code}: mkdir '/x'`), { code })

test.each([
  ['ENOSPC', 'DISK_FULL'],
  ['EDQUOT', 'DISK_FULL'],
  ['EACCES', 'FOLDER_UNWRITABLE'],
  ['EROFS', 'FOLDER_UNWRITABLE'],
])('what the system says as %s is told as %s, with what to do', (code, told) => {
  expect(problemsOf(ofSystem(code))).toEqual([
    { code: told, message: expect.stringMatching(/Free some space|make it writable/) },
  ])
})

test('problems of the source, and refusals of the service, are reported as they are', () => {
  const problems = [{ code: 'syntax-error', message: 'x', file: 'a.py', line: 1 }]
  expect(problemsOf(new BuildFailure(problems))).toEqual(problems)
  const full = new AppError('DISK_FULL')
  expect(problemsOf(full)).toEqual([{ code: 'DISK_FULL', message: full.message }])
})

test('anything else is reported in its own words', () => {
  expect(problemsOf(ofSystem('EMFILE'))).toEqual([{ code: 'UNEXPECTED', message: "EMFILE: mkdir '/x'" }])
  expect(problemsOf('odd')).toEqual([{ code: 'UNEXPECTED', message: 'odd' }])
})
