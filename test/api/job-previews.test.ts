import { expect, it } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup } from '../support/core.ts'

const TOKEN = 'a-token-of-the-user'

async function withJob(input: object, output: unknown = { ok: true }) {
  const service = await setup()
  await service.createEndpoint('e', { env: { API_TOKEN: TOKEN } })
  const jobId = await service.run(input)
  const worker = await service.worker('e')
  await worker.take()
  await worker.done(jobId, { output })
  const listed = async (query: string) => (await service.get(`/api/jobs?${query}`)).requests[0]
  return { service, jobId, listed }
}

it('a list has beginnings of payloads only if they are requested', async () => {
  const { jobId, listed } = await withJob({ name: 'Ada' })
  expect(await listed('endpoint=e')).not.toHaveProperty('preview')
  const preview = { input: '{"name":"Ada"}', output: '{"ok":true}' }
  expect(await listed('endpoint=e&previews=true')).toMatchObject({ id: jobId, preview })
  expect(await listed(`ids=${jobId}&previews=true`)).toMatchObject({ id: jobId, preview })
})

it('beginnings of payloads are bounded', async () => {
  const { listed } = await withJob({ text: 'x'.repeat(100_000) }, 'y'.repeat(1000))
  const { input, output } = (await listed('previews=true')).preview
  const most = limit('listPreviewLength')
  expect([input.length, output.length]).toEqual([most, most])
  expect(input.startsWith('{"text":"xxx')).toBe(true)
})

it('beginnings of payloads hold no secrets of the endpoint', async () => {
  const { listed } = await withJob({ headers: [`Bearer ${TOKEN}`] }, `got ${TOKEN}`)
  expect((await listed('previews=true')).preview).toEqual({ input: '{"headers":["Bearer ***"]}', output: '"got ***"' })
})

it('the preview of one job has more of its payloads and its error, also bounded and without secrets', async () => {
  const { service, jobId } = await withJob({ text: 'x'.repeat(100_000) }, { token: TOKEN, list: [1, 2] })
  const { id, preview } = await service.get(`/api/jobs/${jobId}/preview`)
  expect([id, preview.input.length]).toEqual([jobId, limit('jobPreviewLength')])
  expect(preview.output).toBe('{"token":"***","list":[1,2]}')
})
