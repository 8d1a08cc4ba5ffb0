/** Saved code and packages that were missing, on a real service with real workers. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { STAYS_MS } from '../support/patience.ts'
import { type ServedService, servedService, until } from '../support/served-service.ts'
import { sharedService } from '../support/shared-in-file.ts'
import { makeWheels, onlyWheelsOf } from '../support/wheels.ts'

const SAVES = 8

const shared = sharedService()

const code = (answer: number) => `import part\ndef handler(job):\n    return [${answer}, part.B]\n`

/** Saves a file, and calls until the answer is the new one. */
async function saveUntilLive(
  { folder, post }: ServedService,
  { file, text, answer }: { readonly file: string; readonly text: string; readonly answer: readonly number[] },
): Promise<void> {
  writeFileSync(join(folder, file), text)
  await until(async () => expect((await post('/v2/live/runsync', { input: {} })).output).toEqual(answer))
}

test('the next calls after a save are answered by the new code, and none fails meanwhile', async () => {
  const service = await shared()
  writeFileSync(join(service.folder, 'part.py'), 'B = 0\n')
  await service.createHandler('live', code(0), { workersMin: 0, workersMax: 1, idleTimeoutMs: STAYS_MS })
  await service.post('/v2/live/runsync', { input: {} })
  for (let save = 1; save <= SAVES; save++)
    await saveUntilLive(service, { file: 'live.py', text: code(save), answer: [save, 0] })
  const answer = [SAVES, 1]
  await saveUntilLive(service, { file: 'part.py', text: 'B = 1\n', answer })

  writeFileSync(join(service.folder, 'part.py'), 'import not_there_at_all\n')
  await until(async () => expect((await service.get('/api/endpoints/live')).codeChange.state).toBe('failed'))
  expect((await service.get('/api/endpoints/live')).codeChange.why).toContain("No module named 'not_there_at_all'")
  expect((await service.post('/v2/live/runsync', { input: {} })).output).toEqual(answer)
  expect((await service.get('/v2/live/health')).jobs).toMatchObject({ failed: 0, retried: 0 })
})

test('code that was saved while the service was down is live after its start, and other code is left alone', async () => {
  const service = await shared()
  writeFileSync(join(service.folder, 'part.py'), 'B = 0\n')
  const answer = async () => (await service.post('/v2/late/runsync', { input: {} })).output
  await service.createHandler('late', code(1), { workersMin: 1, workersMax: 1 })
  expect(await answer()).toEqual([1, 0])
  writeFileSync(join(service.folder, 'part.py'), 'B = 0\n')
  await service.kill()
  await service.start()
  expect(await answer()).toEqual([1, 0])
  await service.kill()
  writeFileSync(join(service.folder, 'part.py'), 'B = 1\n')
  await service.start()
  await until(async () => expect(await answer()).toEqual([1, 1]))
  const { events } = await service.get('/api/fleet-events?endpoint=late&kinds=endpoint')
  expect(events).toMatchObject([
    { event: 'reloaded', reason: expect.stringMatching(/^part\.py changed/) },
    { event: 'created' },
  ])
  expect((await service.get('/v2/late/health')).jobs).toMatchObject({ failed: 0, retried: 0 })
})

test('a worker that finished a job with older code when the service was killed is replaced too', async () => {
  const service = await shared()
  const handler = (answer: number) =>
    [
      'import os, time',
      'def handler(job):',
      '    while "gate" in job["input"] and not os.path.exists(job["input"]["gate"]):',
      '        time.sleep(0.02)',
      `    return ${answer}`,
      '',
    ].join('\n')
  await service.createHandler('older', handler(1), { workersMin: 1, workersMax: 2 })
  const id = await service.run('older', { gate: join(service.folder, 'go') })
  await until(async () => expect((await service.get(`/v2/older/status/${id}`)).status).toBe('IN_PROGRESS'))
  writeFileSync(join(service.folder, 'older.py'), handler(2))
  await until(async () => expect((await service.get('/api/endpoints/older')).codeChange?.state).toBe('live'))
  await service.kill()
  await service.start()
  service.openGate('go')
  const { workerId, ...record } = await service.jobEnd('older', id)
  expect(record).toMatchObject({ status: 'COMPLETED', output: 1 })
  await until(async () => {
    const { workers } = await service.get('/api/workers?endpoint=older')
    expect(workers.map((worker: { id: string; state: string }) => [worker.id, worker.state])).not.toContainEqual([
      workerId,
      expect.stringMatching(/^(idle|running)$/),
    ])
  })
  for (let call = 0; call < 4; call++) expect((await service.post('/v2/older/runsync', { input: {} })).output).toBe(2)
})

test('a file that the command of a worker runs is live too', async () => {
  const service = await shared()
  const server = (answer: string) =>
    [
      'import os',
      'from http.server import BaseHTTPRequestHandler, HTTPServer',
      'class Answer(BaseHTTPRequestHandler):',
      '    def do_GET(self):',
      '        self.send_response(200)',
      '        self.end_headers()',
      `        self.wfile.write(b'"${answer}"')`,
      '    def log_message(self, *args):',
      '        pass',
      "HTTPServer(('127.0.0.1', int(os.environ['PORT'])), Answer).serve_forever()",
    ].join('\n')
  writeFileSync(join(service.folder, 'web.py'), server('before'))
  const settings = { command: 'python3 web.py', loadBalanced: {}, workersMin: 1, workersMax: 1 }
  await service.createEndpoint('web', settings)
  await until(async () => expect((await service.ask('GET', '/lb/web/')).body).toBe('before'))
  writeFileSync(join(service.folder, 'web.py'), server('after'))
  await until(async () => expect(await service.ask('GET', '/lb/web/')).toEqual({ status: 200, body: 'after' }))
})

test('a package that is missing is named, installed by one command, and the waiting job runs', async () => {
  const service = servedService()
  const wheels = join(service.folder, 'wheels')
  mkdirSync(wheels)
  makeWheels(wheels, [{ name: 'tinypack', files: { 'tinypack.py': 'A = 7\n' } }])
  await service.start({ env: onlyWheelsOf(wheels) })
  await service.createHandler('mine', 'import tinypack\ndef handler(job):\n    return tinypack.A\n')
  const jobId = await service.run('mine', {})
  await until(async () => {
    const { waitingReason } = await service.get(`/api/jobs/${jobId}`)
    expect(waitingReason).toContain("No module named 'tinypack' (install it: drydock endpoint install mine tinypack")
  })
  const installed = await service.command('endpoint', 'install', 'mine', 'tinypack')
  expect(installed).toMatchObject({ exitCode: 0 })
  expect(JSON.parse(installed.stdout)).toMatchObject({ virtualEnv: join(service.folder, '.venv') })
  expect(await service.jobEnd('mine', jobId)).toMatchObject({ status: 'COMPLETED', output: 7 })
})
