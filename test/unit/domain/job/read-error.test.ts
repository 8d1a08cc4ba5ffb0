import { expect, it } from 'vitest'
import { readJobError } from '../../../../src-main/domain/job/read-error.ts'

it('the error of a job is read where an SDK wrote it, and is a text where anybody else did', () => {
  const written = {
    error_type: "<class 'torch.cuda.OutOfMemoryError'>",
    error_message: 'no\nmemory',
    error_traceback: 'T',
  }
  expect(readJobError(JSON.stringify(written))).toEqual({
    type: 'OutOfMemoryError',
    message: 'no\nmemory',
    traceback: 'T',
  })
  expect(readJobError('{"error_message": "no"}')).toEqual({ message: 'no' })
  for (const text of ['plain', '', '{"other": 1}', '{broken', '{"error_message": 1}'])
    expect(readJobError(text)).toEqual({ message: text })
})
