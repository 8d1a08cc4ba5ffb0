import { expect, it } from 'vitest'
import { readJobFile, writeJobFile } from '../../../../src-main/domain/job/job-file.ts'

const LINE =
  '{"id":"a-l1","status":"FAILED","error":"no","input":{"seed":12345678901234567890,"text":"x"},"output":"hunter22"}\n'
const head = (more: object = {}) => ({
  ...{ drydock: 'job' as const, format: 1 as const, version: '1.0.0', exportedAt: 5, jobId: 'a-l1' },
  history: [{ at: 1, event: 'submit', to: 'IN_QUEUE' as const, attempt: 0 }],
  deliveries: [],
  logs: [],
  ...more,
})
const written = writeJobFile(head(), LINE)
const why = (text: string) => {
  const opened = readJobFile(text)
  return 'why' in opened ? opened.why : undefined
}

it('what is written is read, and its input is the same text', () => {
  expect(readJobFile(written)).toEqual({
    head: head(),
    input: '{"seed":12345678901234567890,"text":"x"}',
    status: 'FAILED',
    error: 'no',
  })
})

it('values of variables are in no part of the file', () => {
  const log = { id: 1, at: 1, endpointId: 'e', workerId: 'w', level: 'INFO', line: 'it is hunter22 and "quo"ted\\' }
  const endpoint = { id: 'e', env: { TOKEN: 'hunter22', ODD: '"quo"ted\\', EMPTY: '' } }
  const text = writeJobFile(head({ endpoint, logs: [log] }), LINE)
  expect(text).not.toContain('hunter22')
  expect(text).not.toContain('quo')
  expect(readJobFile(text)).toMatchObject({ head: { endpoint: { env: { TOKEN: '(hidden)', ODD: '(hidden)' } } } })
})

it('the query of a webhook stays here', () => {
  const deliveries = [{ id: 1, url: 'https://x.example/hook?secret=1', state: 'pending', attempts: 0, updatedAt: 1 }]
  const text = writeJobFile(head({ deliveries }) as never, LINE)
  expect(text).toContain('https://x.example/hook?...')
  expect(text).not.toContain('secret=1')
})

it.each([
  ['', 'it is no job that `drydock job export` wrote'],
  ['{"id": 1}\n', 'it is no job that `drydock job export` wrote'],
  [written.split('\n')[0] ?? '', 'it is cut off: the line with the job is missing'],
  [`${written}{"more":1}\n`, 'it has more lines than one job'],
  [written.slice(0, -20), 'its second line is damaged'],
  [written.replace('"format":1', '"format":2'), /first line is damaged or newer than this Drydock \(format/],
  [written.replace('"history":[', '"history":7,"x":['), /first line is damaged or newer/],
  [written.replace('"input"', '"other"'), 'the input of the job is missing'],
  [`${written.split('\n')[0]}\n{"input":${'['.repeat(1001)}${']'.repeat(1001)}}\n`, 'its job is nested too deep'],
  [`${written.split('\n')[0]}\n{"input":[${'{"a":1},'.repeat(200_001)}1]}\n`, 'its job is too complex'],
])('a file that is broken or hostile is refused with a sentence: %#', (text, reason) => {
  const said = why(text)
  if (typeof reason === 'string') expect(said).toBe(reason)
  else expect(said).toMatch(reason)
})
