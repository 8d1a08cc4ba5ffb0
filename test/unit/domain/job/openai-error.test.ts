import { expect, it, test } from 'vitest'
import { AppError, errorBody } from '../../../../src-main/contract/errors.ts'
import { failureOfJob, failureOfOutput, failureOfService } from '../../../../src-main/domain/job/openai-error.ts'

const ofError = (error: string | null, status: 'FAILED' | 'TIMED_OUT' | 'CANCELLED' = 'FAILED') =>
  failureOfJob({ id: 'j', status, error })
const server = { type: 'server_error', param: null, code: 'JOB_FAILED' }

const EXCEPTION = JSON.stringify({
  error_type: "<class 'ValueError'>",
  error_message: 'no model',
  error_traceback: 'Traceback ...',
})
const VLLM = { message: 'max_tokens is too large', type: 'BadRequestError', param: 'max_tokens', code: 400 }
const VLLM_AS_PYTHON = `{'message': "it's \\\\ \\x41 \\'too\\' large", 'type': 'BadRequestError', 'param': None, 'code': 400, 'x': [True, False]}`

test.each<[string, ReturnType<typeof ofError>, object]>([
  ['a text', ofError('boom'), { status: 500, retry: false, error: { message: 'boom', ...server } }],
  [
    'an exception',
    ofError(EXCEPTION),
    { status: 500, retry: false, error: { message: 'ValueError: no model', ...server } },
  ],
  [
    'an exception of a generator',
    ofError('handler: no model \ntraceback: Traceback (most recent call last):\n ...'),
    { status: 500, retry: false, error: { message: 'no model', ...server } },
  ],
  ['an error object', ofError(JSON.stringify(VLLM)), { status: 400, retry: undefined, error: VLLM }],
  [
    'an error object in another',
    ofError(JSON.stringify({ error: VLLM })),
    { status: 400, retry: undefined, error: VLLM },
  ],
  [
    'an error object that the SDK has written as Python',
    ofError(VLLM_AS_PYTHON),
    {
      status: 400,
      retry: undefined,
      error: { message: "it's \\ A 'too' large", type: 'BadRequestError', param: null, code: 400 },
    },
  ],
  [
    'a code that is a word',
    ofError('{"message":"slow down","type":"rate_limit_error","code":"rate_limit_exceeded"}'),
    {
      status: 429,
      retry: undefined,
      error: { message: 'slow down', type: 'rate_limit_error', param: null, code: 'rate_limit_exceeded' },
    },
  ],
  [
    'a status of its own',
    ofError('{"message":"busy","status_code":503}'),
    { status: 503, retry: undefined, error: { message: 'busy', ...server } },
  ],
  [
    'a code that is no status',
    ofError('{"message":"no","code":7}'),
    { status: 500, retry: false, error: { message: 'no', ...server, code: 7 } },
  ],
  [
    'JSON that is no error',
    ofError('{"a":1}'),
    { status: 500, retry: false, error: { message: '{"a":1}', ...server } },
  ],
  [
    'a lost worker',
    ofError('job timed out after 1 retries'),
    { status: 500, retry: undefined, error: { message: 'job timed out after 1 retries', ...server } },
  ],
  [
    'a cancel',
    ofError(null, 'CANCELLED'),
    { status: 500, retry: false, error: { message: 'Job j ended as CANCELLED before it gave an answer.', ...server } },
  ],
])('%s is told as an error object', (_what, failure, expected) => {
  expect(failure).toEqual(expected)
})

it('a result is a failure where it is an error object, and no other is', () => {
  expect(failureOfOutput({ object: 'error', ...VLLM })).toMatchObject({ status: 400, error: VLLM })
  expect(failureOfOutput({ error: VLLM })).toMatchObject({ status: 400, error: VLLM })
  for (const output of [{ object: 'chat.completion' }, { message: 'x' }, { error: 'x' }, 'x', null, [VLLM], undefined])
    expect(failureOfOutput(output)).toBe(undefined)
})

it('a refusal of the service keeps its status and code, and is not tried again where that cannot help', () => {
  const paused = errorBody(new AppError('ENDPOINT_PAUSED', { endpointId: 'e', why: 'is paused' }))
  expect(failureOfService(paused)).toEqual({
    status: 409,
    retry: false,
    error: { message: paused.error, type: 'invalid_request_error', param: null, code: 'ENDPOINT_PAUSED' },
  })
  expect(failureOfService(errorBody(new AppError('UNAUTHORIZED')))).toMatchObject({
    status: 401,
    retry: undefined,
    error: { type: 'authentication_error', code: 'UNAUTHORIZED' },
  })
  expect(failureOfService(errorBody(new AppError('DATABASE_BUSY', { why: 'x' })))).toMatchObject({
    status: 503,
    retry: undefined,
  })
})
