import { describe, expect, it, test } from 'vitest'
import { AppError, errorBody } from '../../../../src-main/contract/errors.ts'
import {
  failureOfJob,
  failureOfOutput,
  failureOfService,
  readOpenAiAnswer,
} from '../../../../src-main/features/jobs/rules/openai-error.ts'

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

it.each(["\\'", '\\"', "'\\'", "\\'\\"])('an error of many %s is its message, at once', (part) => {
  for (const end of ['', '\\', '}']) {
    const error = `{'${part.repeat(60_000)}${end}`
    expect(failureOfJob({ id: 'j', status: 'FAILED', error }).error.message === error).toBe(true)
  }
})

it('an error of a generator with many ends of lines is its message, at once', () => {
  const error = `handler: no${'\n'.repeat(200_000)}`
  expect(failureOfJob({ id: 'j', status: 'FAILED', error }).error.message === error).toBe(true)
  const traced = failureOfJob({ id: 'j', status: 'FAILED', error: 'handler: no \n\ntraceback: x\ntraceback: y' })
  expect(traced.error.message).toBe('no')
})

it('an error within errors is found however deep it is', () => {
  let output: object = { message: 'no', code: 404 }
  for (let depth = 0; depth < 100_000; depth += 1) output = { error: output }
  expect(failureOfOutput(output)).toMatchObject({ status: 404, error: { message: 'no' } })
})

describe('an answer', () => {
  it('of a list of one is what is in it, as it came', () => {
    expect(readOpenAiAnswer(' [ {"seed": 18446744073709551615} ]\n', 'output')).toEqual({
      failure: undefined,
      json: ' {"seed": 18446744073709551615} ',
      event: 'data:  {"seed": 18446744073709551615} \n\n',
    })
    expect(readOpenAiAnswer('[1,2]', 'output')).toMatchObject({ json: '[1,2]' })
  })

  it('of a chunk is its output: event text as it is, anything else on one line', () => {
    expect(readOpenAiAnswer('{"output":"data: x\\n\\n","metrics":{}}', 'chunk').event).toBe('data: x\n\n')
    expect(readOpenAiAnswer('{"output":[{\n"a":1}]}', 'chunk').event).toBe('data: [{ "a":1}]\n\n')
    expect(readOpenAiAnswer('{"output":{"error":{"message":"no"}}}', 'chunk')).toMatchObject({
      failure: { status: 500 },
      event: expect.stringMatching(/^data: \{"error":\{"message":"no".+\}\}\n\n$/),
    })
  })
})
