import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import OpenAI, { APIError } from 'openai'
import { beforeAll, describe, expect, it } from 'vitest'
import { setup } from '../support/core.ts'
import type { TestWorker } from '../support/worker-client.ts'
import { PREPARE_LIMIT_MS, type PublicPython, preparePublicPython } from './support-python.ts'

const VLLM = { message: 'max_tokens is too large', type: 'BadRequestError', param: 'max_tokens', code: 400 }
const RETRIES = 2

/** A service with a worker that reports the same on every job, and the address for OpenAI's clients. */
async function serve(report: object, chunks: readonly unknown[] = []) {
  const service = await setup()
  await service.createEndpoint()
  const url = await service.listen('users')
  void answerAll(await service.worker(), report, chunks)
  return {
    baseURL: `${url}/v2/e/openai/v1`,
    apiKey: service.accountKey(),
    jobs: () => service.storage().jobs.newestSeq(),
  }
}

async function answerAll(worker: TestWorker, report: object, chunks: readonly unknown[]): Promise<void> {
  for (;;) {
    const job = await worker.take()
    if (job === undefined) return // the service stops
    for (const output of chunks) await worker.chunk(job.id, { output })
    await worker.done(job.id, report)
  }
}

/** An error as a client reports it, and how many jobs its request has made. */
type Told = { readonly status?: number; readonly message: string; readonly code: unknown; readonly jobs: number }

const CASES: readonly [string, object, readonly unknown[], Omit<Told, 'jobs'>][] = [
  ['an error object of the worker', { error: VLLM }, [], { status: 400, message: VLLM.message, code: 400 }],
  [
    'an error object as the result',
    { output: [] },
    [{ object: 'error', ...VLLM }],
    { status: 400, message: VLLM.message, code: 400 },
  ],
  ['a handler that fails', { error: 'no model' }, [], { status: 500, message: 'no model', code: 'JOB_FAILED' }],
]

describe('the JavaScript client', () => {
  const ask = (client: OpenAI, stream: boolean) =>
    client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'x' }], stream })

  for (const stream of [false, true]) {
    for (const [what, report, chunks, told] of CASES) {
      it(`prints ${what} and tries no second time${stream ? ', for a stream' : ''}`, async () => {
        const { jobs, ...options } = await serve(report, chunks)
        const error = await ask(new OpenAI({ ...options, maxRetries: RETRIES }), stream).catch((error) => error)
        expect(error).toBeInstanceOf(APIError)
        const { status, code } = error as APIError
        expect({ status, code, jobs: jobs() }).toEqual({ status: told.status, code: told.code, jobs: 1 })
        expect(error.message).toBe(`${told.status} ${told.message}`)
      })
    }
  }

  it('throws an error in the middle of a stream', async () => {
    const { jobs, ...options } = await serve({ error: 'half way' }, ['data: {"choices":[]}\n\n'])
    const client = new OpenAI({ ...options, maxRetries: RETRIES })
    const stream = await client.chat.completions.create({ model: 'm', messages: [], stream: true })
    const read = async () => {
      for await (const _part of stream);
    }
    await expect(read()).rejects.toThrow('half way')
    expect(jobs()).toBe(1)
  })

  it('prints that its key is wrong', async () => {
    const { baseURL } = await serve({ output: {} })
    const client = new OpenAI({ baseURL, apiKey: 'wrong', maxRetries: RETRIES })
    await expect(ask(client, false)).rejects.toThrow(/^401 The API key is missing or wrong/)
  })
})

describe('the Python client', () => {
  let python: PublicPython
  beforeAll(async () => {
    python = await preparePublicPython()
  }, PREPARE_LIMIT_MS)

  // One process for all: to load the package takes longer than the requests.
  const SCRIPT = `
import json, sys
from openai import APIError, OpenAI
for base, key, stream in json.loads(sys.argv[1]):
    client = OpenAI(base_url=base, api_key=key, max_retries=${RETRIES})
    try:
        answer = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}], stream=stream)
        for part in answer:
            pass
        print("null")
    except APIError as error:
        print(json.dumps({"status": getattr(error, "status_code", None), "message": error.message, "code": error.code}))
`

  it('prints each of them and tries no second time, for streams too, and raises an error in the middle of one', async (context) => {
    context.skip(!python.ready, python.reason)
    const calls = []
    for (const stream of [false, true]) {
      for (const [, report, chunks, { message, ...told }] of CASES)
        calls.push({
          stream,
          told: { ...told, message: expect.stringContaining(message) },
          at: await serve(report, chunks),
        })
    }
    const broken = await serve({ error: 'half way' }, ['data: {"choices":[]}\n\n'])
    calls.push({ stream: true, told: { message: 'half way', code: 'JOB_FAILED', status: null }, at: broken })
    const asked = calls.map(({ stream, at }) => [at.baseURL, at.apiKey, stream])
    const { stdout } = await promisify(execFile)(python.python, ['-c', SCRIPT, JSON.stringify(asked)])
    const told = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    // This client makes a text of a code that is a number.
    expect(told).toEqual(calls.map((call) => ({ ...call.told, code: String(call.told.code) })))
    expect(calls.map(({ at }) => at.jobs())).toEqual(calls.map(() => 1))
  })
})
