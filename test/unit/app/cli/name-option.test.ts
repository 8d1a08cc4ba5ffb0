import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { HELLO_VIEW, sendError, setupCli } from './support.ts'

const EVERY = 'must be a whole number of ms from 1000 to 31622400000'

test.each([
  [
    ['run', 'e', '--ttl', '5'],
    'policy.ttl: must be at least 10000.',
    '--ttl: must be at least 10000 ms, or write 10s.',
    2,
  ],
  [
    ['run', 'e', '--execution-timeout', '3'],
    'policy.executionTimeout: must be from 5000 to 604800000 ms.',
    '--execution-timeout: must be from 5 s to 7 d.',
    2,
  ],
  [['jobs', 'rerun', '--status', 'X'], 'filter.status.0: must be one of A, B.', '--status: must be one of A, B.', 2],
  [['jobs', 'list', '--limit', '0'], 'limit: must be from 1 to 500.', '--limit: must be from 1 to 500.', 2],
  [
    ['endpoint', 'update', 'e', '--execution-timeout', '2000'],
    'executionTimeoutMs: no.',
    '--execution-timeout: no.',
    2,
  ],
  [['endpoint', 'update', 'e', '--workers', '1,3'], 'workersMin: no.', '--workers: no.', 1],
  [['endpoint', 'update', 'e', '--memory', '1m'], 'container.memoryBytes: no.', '--memory: no.', 2],
  [['endpoint', 'update', 'e', '--volume', '/a:/b'], 'container.volumes.0.target: no.', '--volume: no.', 1],
  [['endpoint', 'update', 'e', '--cap-add', 'X'], 'container.capabilities.0: no.', 'container.capabilities.0: no.', 2],
  [['schedule', 'add', 'e', '{}', '--every', '0'], `everyMs: ${EVERY}.`, '--every: must be from 1 s to 366 d.', 2],
  [['run', 'e', '{}'], 'input: must be an object.', 'input: must be an object.', 1],
  [['faults', 'e', '--fail', '200'], 'faults.failPercent: no.', 'faults.failPercent: no.', 2],
  [['settings', 'set', 'maxWorkers', '-1'], 'maxWorkers: no.', 'maxWorkers: no.', 2],
])(
  '%s: the refusal names the option instead of the field; a value that no request may have is wrong use',
  async (words, refusal, said, exitCode) => {
    const refuse = (response: ServerResponse) => sendError(response, 400, 'BAD_FIELD', refusal)
    const { run } = await setupCli({
      'POST /v2/e/run': refuse,
      'POST /api/jobs/bulk': refuse,
      'GET /api/jobs': refuse,
      'PATCH /api/endpoints/e': refuse,
      'GET /api/endpoints/e': HELLO_VIEW,
      'PATCH /api/settings': refuse,
      'POST /api/endpoints/e/schedules': refuse,
      'POST /api/schedules': refuse,
    })
    expect(await run(words)).toMatchObject({ exitCode, stderr: `drydock: ${said}\n` })
    expect(JSON.parse((await run([...words, '--json'])).stderr)).toMatchObject({ error: refusal })
  },
)

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
