/** The samples that the pages show, run as a person would run them: pasted into a shell, a file of Python, a module. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, type TestContext, test } from 'vitest'
import type { SampleCall } from '../../src-main/domain/requests/sample-call.ts'
import { makeSamples, type Sample } from '../../src-main/domain/requests/samples.ts'
import { PREPARE_LIMIT_MS, type PublicPython, preparePublicPython } from './support-python.ts'
import { type Service, startService } from './support-service.ts'

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

/** What breaks quoting somewhere: of shells, of Python, of JavaScript and of its templates. */
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

async function setup(context: TestContext, code: string) {
  const service = await startService(context)
  const handler = join(service.folder, 'echo.py')
  writeFileSync(handler, code)
  const { id, url } = await service.createEndpoint({ id: 'echo', handler, workersMax: 1 })
  const sampleOf = (name: Sample['name'], call: Omit<SampleCall, 'endpointId' | 'url'>) => {
    const sample = makeSamples({ ...call, endpointId: id, url } as SampleCall).find((one) => one.name === name)
    if (sample === undefined) throw new Error(`there is no sample of ${name}`)
    return runSample(context, service, sample)
  }
  /** What the handler got, by the job that it left. */
  const lastInput = async () => {
    const { requests } = (await service.call('GET', '/api/jobs?limit=1')) as { requests: { id: string }[] }
    return ((await service.call('GET', `/api/jobs/${requests[0]?.id}`)) as { input: unknown }).input
  }
  return { service, sampleOf, lastInput }
}

describe('samples, run as they are', () => {
  test.for(['curl', 'Python', 'svc', 'JavaScript'] as const)(
    '%s waits for a result, whatever is in the input',
    async (name, context) => {
      const { sampleOf, lastInput } = await setup(context, ECHO)
      const body = JSON.stringify({ input: HOSTILE }, undefined, 2)
      expect(await sampleOf(name, { operation: 'runsync', body })).toContain('-d @/etc/passwd')
      expect(await lastInput()).toEqual(HOSTILE)
    },
  )

  test.for(['curl', 'Python', 'svc', 'JavaScript'] as const)('%s queues a job', async (name, context) => {
    const { sampleOf, lastInput } = await setup(context, ECHO)
    const output = await sampleOf(name, { operation: 'run', body: '{"input": {"a": "it\'s q"}}' })
    expect(output).toContain(name === 'curl' ? 'IN_QUEUE' : 's q')
    expect(await lastInput()).toEqual({ a: `it's q` })
  })

  test.for(['curl', 'Python', 'JavaScript'] as const)('%s reads a stream to its end', async (name, context) => {
    const { sampleOf } = await setup(context, STREAM)
    const output = await sampleOf(name, { operation: 'stream', body: '{"input": {"a": "$x"}}' })
    expect(output).toContain('$x')
    expect(output).toContain('second')
  })

  test('JavaScript sends what a literal would change as it is', async (context) => {
    const { sampleOf, lastInput, service } = await setup(context, ECHO)
    await sampleOf('JavaScript', { operation: 'runsync', body: '{"input": {"n": 12345678901234567890}}' })
    await lastInput()
    const { requests } = (await service.call('GET', '/api/jobs?limit=1')) as { requests: { id: string }[] }
    const answer = await fetch(`${service.url}/api/jobs/${requests[0]?.id}`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
    expect(await answer.text()).toContain('12345678901234567890')
  })

  test.for(['curl', 'svc', 'JavaScript'] as const)('%s asks a load-balanced endpoint', async (name, context) => {
    const { service } = await setup(context, ECHO)
    const command = `python3 ${WEB_WORKER}`
    const { id, url } = await service.createEndpoint({
      id: 'web',
      name: 'web',
      command,
      loadBalanced: {},
      workersMax: 1,
    })
    const sample = makeSamples({
      endpointId: id,
      url,
      operation: 'request',
      method: 'POST',
      path: `/echo?q=it's%20$HOME`,
      headers: [
        ['X-Quote', `it's "$HOME" \`id\``],
        ['Content-Type', 'application/json'],
      ],
      body: JSON.stringify(HOSTILE),
      bodyIs: 'json',
    }).find((one) => one.name === name)
    if (sample === undefined) throw new Error('no sample')
    expect(await runSample(context, service, sample)).toMatch(/X-Quote.*\$HOME.*`id`/i)
  })

  test.for(['curl', 'svc', 'JavaScript'] as const)('%s sends a file as it is', async (name, context) => {
    const { service } = await setup(context, ECHO)
    const command = `python3 ${WEB_WORKER}`
    const { id, url } = await service.createEndpoint({
      id: 'web',
      name: 'web',
      command,
      loadBalanced: {},
      workersMax: 1,
    })
    const file = "it's a $file.bin"
    writeFileSync(join(service.folder, file), Buffer.from([0, 10, 13, 255]))
    const call = { endpointId: id, url, operation: 'request', method: 'PUT', path: '/echo' } as const
    const sample = makeSamples({ ...call, headers: [['Content-Type', 'image/x']], body: file, bodyIs: 'file' }).find(
      (one) => one.name === name,
    )
    if (sample === undefined) throw new Error('no sample')
    expect(await runSample(context, service, sample)).toMatch(/["']size["']: 4/)
  })
})
