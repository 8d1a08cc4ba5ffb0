import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { servedService, until } from '../support/served-service.ts'

const FAILS = 'def handler(job):\n    print("hush-hush, it fails")\n    raise ValueError("no")\n'
const SHOWS = 'def handler(job):\n    return str(job["input"]["seed"])\n'

test('a job that failed here is written to a file, looked into, and run on another Drydock', async () => {
  const here = servedService()
  await here.start()
  await here.createHandler('echo', FAILS, { env: { TOKEN: 'hush-hush' } })
  const key = here.read('data', 'account.key').trim()
  const submitted = await fetch(`${here.url()}/v2/echo/run`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"input":{"seed":12345678901234567890}}',
  })
  const { id } = (await submitted.json()) as { readonly id: string }
  await here.jobEnd('echo', id)
  await until(async () => expect((await here.get(`/api/jobs/${id}/logs`)).lines.length).toBeGreaterThan(0))

  expect(await here.command('job', 'export', id, '-o', 'job.jsonl')).toMatchObject({ exitCode: 0, stderr: '' })
  const text = here.read('job.jsonl')
  expect(text).not.toContain('hush-hush')
  expect(text).toContain('it fails')
  expect(text).toContain('"seed":12345678901234567890')

  const there = servedService()
  await there.start()
  await there.createHandler('other', SHOWS)
  writeFileSync(join(there.folder, 'job.jsonl'), text)
  const opened = await there.command('job', 'open', 'job.jsonl')
  expect(JSON.parse(opened.stdout)).toMatchObject({ jobId: id, status: 'FAILED', endpoint: { id: 'echo' } })
  expect(await there.command('job', 'import', 'job.jsonl', '--endpoint', 'other')).toMatchObject({ exitCode: 0 })
  await until(async () => {
    const [job] = (await there.get('/api/jobs?endpoint=other')).requests
    expect((await there.get(`/api/jobs/${job.id}`)).output).toBe('12345678901234567890')
  })

  writeFileSync(join(there.folder, 'cut.jsonl'), readFileSync(join(there.folder, 'job.jsonl'), 'utf8').slice(0, -30))
  const refused = await there.command('job', 'import', 'cut.jsonl', '--endpoint', 'other')
  expect(refused.exitCode).toBe(1)
  expect(JSON.parse(refused.stderr).error).toMatch(/cut\.jsonl is not valid: its second line is damaged/)
})
