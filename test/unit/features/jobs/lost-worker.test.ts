import { expect, test } from 'vitest'
import { lostWorkerError, lostWorkerText } from '../../../../src-main/features/jobs/rules/lost-worker.ts'
import { errorLine, errorText } from '../../../../src-main/features/jobs/rules/read-error.ts'

test.each([
  [0, undefined, 'Its worker ended during the job (1 try)'],
  [1, 'exit code 3, after: doing exit', 'Its worker ended during the job (2 tries): exit code 3, after: doing exit'],
])('after %d retries people do not read of a time limit', (tries, cause, text) => {
  const error = lostWorkerError(tries, cause)
  expect([lostWorkerText(error), errorLine(error), errorText(error)]).toEqual([text, text, text])
})

test('any other error stays as it is', () => {
  expect(lostWorkerText('ValueError: job timed out after 1 retries')).toBeUndefined()
})
