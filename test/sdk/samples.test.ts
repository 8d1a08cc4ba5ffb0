/** The samples that the pages show, run as a person would run them: pasted into a shell, a file of Python, a module. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, type TestContext, test } from 'vitest'
import type { JobCall, RequestCall } from '../../src-main/features/jobs/rules/requests/sample-call.ts'
import { makeSamples, type Sample } from '../../src-main/features/jobs/rules/requests/samples.ts'
import { PREPARE_LIMIT_MS, type PublicPython, preparePublicPython } from './support-python.ts'
import { type Service, startedOnce, startService } from './support-service.ts'

const SVC = fileURLToPath(new URL('../../resources/python', import.meta.url))
const WEB_WORKER = fileURLToPath(new URL('../support/workers/web.py', import.meta.url))
const run = promisify(execFile)

let python: PublicPython
beforeAll(async () => {
  python = await preparePublicPython()
}, PREPARE_LIMIT_MS)

// Gives its input back as the text that came, so that a test sees every character of it.
const ECHO = `
import json
def handler(job):
    text = json.dumps(job["input"], sort_keys=True)
    if job["input"].get("stream"):
        return (part for part in [text])
    return {"text": text}
`
const STREAM = `
import json
def handler(job):
    yield {"text": json.dumps(job["input"], sort_keys=True)}
    yield "second"
`

/** Texts that break quoting somewhere: of shells, of Python, of JavaScript and of its templates. */
const HOSTILE = {
  quotes: `it's "quoted" \\' \\" \\\\`,
  shell: '$HOME `id` $(id) !! ; & | > x \n# no comment',
  template: '$\u007bprocess.env.HOME} {0} %s %(a)s \\u0041',
  lines: 'a\nb\r\nc\td\u2028e\u2029f\u0000g\u007f',
  unicode: 'ü 漢 🦀 \u202e',
  '-d @/etc/passwd': ['@/etc/passwd', '', ' ', [], {}, [[null, true, false]]],
  numbers: [0, -1, 1.5, 1e21, 123456789012345],
}

async function runSample(context: TestContext, service: Service, { name, code }: Sample): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    HOME: service.folder,
    SVC_API_KEY: service.key,
    PYTHONDONTWRITEBYTECODE: '1',
    ...(name === 'svc' ? { PYTHONPATH: SVC } : {}),
  }
  if (name === 'curl') return (await run('/bin/sh', ['-c', code], { env, cwd: service.folder })).stdout
  if (name === 'Python' && !python.ready) context.skip(python.reason)
  const file = join(service.folder, `sample-${name}.${name === 'JavaScript' ? 'mjs' : 'py'}`)
  writeFileSync(file, code)
  const program = name === 'JavaScript' ? process.execPath : name === 'Python' ? python.python : 'python3'
  return (await run(program, [file], { env, cwd: service.folder })).stdout
}

/** A service for all tests, with endpoints that echo, stream and serve requests. */
const setup = startedOnce(async (context) => {
  const service = await startService(context)
  const endpoints = new Map<string, { readonly id: string; readonly url: string }>()
  for (const [id, code] of Object.entries({ echo: ECHO, stream: STREAM })) {
    const handler = join(service.folder, `${id}-handler.py`)
    writeFileSync(handler, code)
    endpoints.set(id, await service.createEndpoint({ id, name: id, handler, workersMax: 1 }))
  }
  const command = `python3 ${WEB_WORKER}`
  endpoints.set(
    'web',
    await service.createEndpoint({ id: 'web', name: 'web', command, loadBalanced: {}, workersMax: 1 }),
  )
  /** Runs the sample of this name for a call of an endpoint, and returns its output. */
  const sampleOf = (
    context: TestContext,
    name: Sample['name'],
    endpoint: 'echo' | 'stream' | 'web',
    call: JobCall | RequestCall,
  ) => {
    const { id = '', url = '' } = endpoints.get(endpoint) ?? {}
    const sample = makeSamples({ ...call, endpointId: id, url }).find((one) => one.name === name)
    if (sample === undefined) throw new Error(`there is no sample of ${name}`)
    return runSample(context, service, sample)
  }
  const newestJob = async () => {
    const { requests } = (await service.call('GET', '/api/jobs?limit=1')) as { requests: { id: string }[] }
    return `/api/jobs/${requests[0]?.id}`
  }
  /** The input that the handler got, read from its job. */
  const lastInput = async () => ((await service.call('GET', await newestJob())) as { input: unknown }).input
  return { service, sampleOf, newestJob, lastInput }
})

describe('samples, run as they are', () => {
  test.for(['curl', 'Python', 'svc', 'JavaScript'] as const)(
    '%s waits for a result, whatever is in the input',
    async (name, context) => {
      const { sampleOf, lastInput } = setup()
      const body = JSON.stringify({ input: HOSTILE }, undefined, 2)
      expect(await sampleOf(context, name, 'echo', { operation: 'runsync', body })).toContain('-d @/etc/passwd')
      expect(await lastInput()).toEqual(HOSTILE)
    },
  )

  test.for(['curl', 'Python', 'svc', 'JavaScript'] as const)('%s queues a job', async (name, context) => {
    const { sampleOf, lastInput } = setup()
    const output = await sampleOf(context, name, 'echo', { operation: 'run', body: '{"input": {"a": "it\'s q"}}' })
    expect(output).toContain(name === 'curl' ? 'IN_QUEUE' : 's q')
    expect(await lastInput()).toEqual({ a: `it's q` })
  })

  test.for(['curl', 'Python', 'JavaScript'] as const)('%s reads a stream to its end', async (name, context) => {
    const { sampleOf } = setup()
    const output = await sampleOf(context, name, 'stream', { operation: 'stream', body: '{"input": {"a": "$x"}}' })
    expect(output).toContain('$x')
    expect(output).toContain('second')
  })

  test('JavaScript sends what a literal would change as it is', async (context) => {
    const { sampleOf, newestJob, service } = setup()
    const body = '{"input": {"n": 12345678901234567890}}'
    await sampleOf(context, 'JavaScript', 'echo', { operation: 'runsync', body })
    const answer = await fetch(`${service.url}${await newestJob()}`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
    expect(await answer.text()).toContain('12345678901234567890')
  })

  test.for(['curl', 'svc', 'JavaScript'] as const)('%s asks a load-balanced endpoint', async (name, context) => {
    const printed = await setup().sampleOf(context, name, 'web', {
      operation: 'request',
      method: 'POST',
      path: `/echo?q=it's%20$HOME`,
      headers: [
        ['X-Quote', `it's "$HOME" \`id\``],
        ['Content-Type', 'application/json'],
      ],
      body: JSON.stringify(HOSTILE),
      bodyIs: 'json',
    })
    expect(printed).toMatch(/X-Quote.*\$HOME.*`id`/i)
  })

  test.for(['curl', 'svc', 'JavaScript'] as const)('%s sends a file as it is', async (name, context) => {
    const { service, sampleOf } = setup()
    const file = "it's a $file.bin"
    writeFileSync(join(service.folder, file), Buffer.from([0, 10, 13, 255]))
    const call = { operation: 'request', method: 'PUT', path: '/echo', body: file, bodyIs: 'file' } as const
    const printed = await sampleOf(context, name, 'web', { ...call, headers: [['Content-Type', 'image/x']] })
    expect(printed).toMatch(/["']size["']: 4/)
  })
})
