import { describe, expect, it } from 'vitest'
import { limit } from '../../../../src-main/contract/limits.ts'
import { maskSecrets, readJobFile, writeJobFile } from '../../../../src-main/features/jobs/rules/job-file.ts'

const LINE =
  '{"id":"a-l1","status":"FAILED","error":"no","input":{"seed":12345678901234567890,"text":"x"},"output":"hunter22"}\n'
const head = (more: object = {}) => ({
  ...{ drydock: 'job' as const, format: 1 as const, version: '1.0.0', exportedAt: 5, jobId: 'a-l1' },
  history: [{ at: 1, event: 'submit', to: 'IN_QUEUE' as const, attempt: 0 }],
  deliveries: [],
  logs: [],
  ...more,
})
const hidden = (more: object = {}) => ({ secrets: [], variables: [], ...more })
const written = writeJobFile(head(), LINE, hidden())
const why = (text: string) => {
  const opened = readJobFile(text)
  return 'why' in opened ? opened.why : undefined
}

it('a written line is read, and its input is the same text', () => {
  expect(readJobFile(written)).toEqual({
    head: { ...head(), masked: 0 },
    input: '{"seed":12345678901234567890,"text":"x"}',
    status: 'FAILED',
    error: 'no',
  })
})

describe('values of variables', () => {
  const values = { TOKEN: 'hunter22hunter22', ODD: '"quo"ted\\nlong-enough', MODEL: 'COMPLETED', EMPTY: '' }
  const { TOKEN, ODD, MODEL } = values
  const all = hidden({ secrets: [TOKEN, ODD], variables: Object.values(values) })

  it('are taken out of settings, reasons, logs and errors, and the file is still one', () => {
    const log = { id: 1, at: 1, endpointId: 'e', workerId: 'w', level: 'INFO', line: `it is ${TOKEN} and ${ODD}` }
    const history = [{ at: 1, event: 'complete', to: 'COMPLETED' as const, attempt: 1, reason: `by ${TOKEN}` }]
    const endpoint = { id: 'e', env: values, handler: `${TOKEN}.py` }
    const line = LINE.replace('"no"', JSON.stringify(`not ${ODD}`))
    const text = writeJobFile(head({ endpoint, history, logs: [log] }), line, all)
    expect(text).not.toContain('hunter22hunter22')
    expect(text).not.toContain('quo')
    expect(readJobFile(text)).toMatchObject({
      error: 'not ***',
      head: {
        endpoint: { env: { TOKEN: '(hidden)', ODD: '(hidden)' }, handler: '***.py' },
        history: [{ to: 'COMPLETED', reason: 'by ***' }],
        logs: [{ line: 'it is *** and ***' }],
        masked: 0,
      },
    })
  })

  it('leave payloads as they were, but for secrets, whose places are counted', () => {
    const input = `{"model":"${MODEL}","n":1.50,"auth":["${TOKEN}","a ${TOKEN}"],"odd":${JSON.stringify(ODD)}}`
    const text = writeJobFile(
      head(),
      LINE.replace(/\{"seed".*"x"\}/, () => input),
      all,
    )
    expect(readJobFile(text)).toMatchObject({
      input: '{"model":"COMPLETED","n":1.50,"auth":["***","a ***"],"odd":"***"}',
      head: { masked: 3 },
    })
  })

  it.each([
    [limit('payloadSecretCharacters') - 1, 0],
    [limit('payloadSecretCharacters'), 1],
    [limit('payloadSecretCharacters') + 1, 1],
  ])('of %i characters are masked in payloads %i times', (length, places) => {
    const secret = 'n'.padEnd(length, 's')
    expect(maskSecrets(JSON.stringify({ a: secret }), [secret]).places).toBe(places)
  })

  it('are no part of an escape, and are found where JSON has escaped them', () => {
    expect(maskSecrets(String.raw`{"a":"\nabcdefghijkl"}`, ['nabcdefghijkl'])).toEqual({
      text: String.raw`{"a":"\nabcdefghijkl"}`,
      places: 0,
    })
    expect(
      maskSecrets(String.raw`{"a":"\u00fcbermorgen-geheim","n":123456789012}`, ['übermorgen-geheim', '123456789012']),
    ).toEqual({
      text: '{"a":"***","n":123456789012}',
      places: 1,
    })
  })
})

it('the query of a webhook stays here', () => {
  const deliveries = [{ id: 1, url: 'https://x.example/hook?secret=1', state: 'pending', attempts: 0, updatedAt: 1 }]
  const text = writeJobFile(head({ deliveries }) as never, LINE, hidden({ variables: ['pending'] }))
  expect(text).toContain('https://x.example/hook?...')
  expect(text).not.toContain('secret=1')
  expect(readJobFile(text)).toMatchObject({ head: { deliveries: [{ state: 'pending' }] } })
})

it.each([
  ['', 'it was not written by `drydock job export`'],
  ['{"id": 1}\n', 'it was not written by `drydock job export`'],
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
