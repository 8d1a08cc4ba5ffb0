import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { HELLO_VIEW, sendError, setupCli } from './support.ts'

const EVERY = 'must be a whole number of ms from 1000 to 31622400000'

test.each([
  [['run', 'e', '--ttl', '5'], 'policy.ttl: must be at least 10000.', '--ttl: must be at least 10000 ms.'],
  [['jobs', 'rerun', '--status', 'X'], 'filter.status.0: must be one of A, B.', '--status: must be one of A, B.'],
  [['jobs', 'list', '--limit', '0'], 'limit: must be from 1 to 500.', '--limit: must be from 1 to 500.'],
  [['endpoint', 'update', 'e', '--execution-timeout', '2000'], 'executionTimeoutMs: no.', '--execution-timeout: no.'],
  [['endpoint', 'update', 'e', '--workers', '1,3'], 'workersMin: no.', '--workers: no.'],
  [['endpoint', 'update', 'e', '--memory', '1m'], 'container.memoryBytes: no.', '--memory: no.'],
  [['endpoint', 'update', 'e', '--volume', '/a:/b'], 'container.volumes.0.target: no.', '--volume: no.'],
  [['endpoint', 'update', 'e', '--cap-add', 'X'], 'container.capabilities.0: no.', 'container.capabilities.0: no.'],
  [['schedule', 'add', 'e', '{}', '--every', '0'], `everyMs: ${EVERY}.`, '--every: must be from 1 s to 366 d.'],
  [['run', 'e', '{}'], 'input: must be an object.', 'input: must be an object.'],
])('%s: the refusal names the option instead of the field', async (words, refusal, said) => {
  const refuse = (response: ServerResponse) => sendError(response, 400, 'BAD_FIELD', refusal)
  const { run } = await setupCli({
    'POST /v2/e/run': refuse,
    'POST /api/jobs/bulk': refuse,
    'GET /api/jobs': refuse,
    'PATCH /api/endpoints/e': refuse,
    'GET /api/endpoints/e': HELLO_VIEW,
    'POST /api/endpoints/e/schedules': refuse,
    'POST /api/schedules': refuse,
  })
  expect(await run(words)).toMatchObject({ exitCode: 1, stderr: `drydock: ${said}\n` })
  expect(JSON.parse((await run([...words, '--json'])).stderr)).toMatchObject({ error: refusal })
})

test.each([
  [['batch', 'submit', 'e', 'none.jsonl']],
  [['jobs', 'import', 'e', 'none.jsonl']],
  [['job', 'open', 'none.json']],
])('%s: a file that is missing is said to be missing', async (words) => {
  const { run, folder } = await setupCli({})
  const { exitCode, stderr } = await run(words)
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: `drydock: ${folder}/${words.find((word) => word.startsWith('none'))} cannot be read: there is no such file.\n`,
  })
})
