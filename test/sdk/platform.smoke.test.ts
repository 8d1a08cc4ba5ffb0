/** The platform's own worker and clients, unmodified except for py-cpuinfo (support-python.ts): one job for each. */
import { beforeAll, expect, test } from 'vitest'
import { runPythonClient, startJavaScriptClient } from './support-clients.ts'
import { PREPARE_LIMIT_MS, type PublicPython, preparePublicPython } from './support-python.ts'
import { startPublicWorker, TIMES, WORKER_ID } from './support-worker.ts'

const JOB_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-l1$/

let python: PublicPython
beforeAll(async () => {
  python = await preparePublicPython()
}, PREPARE_LIMIT_MS)

test('the Python worker passes the whole job to its handler, even with an empty input', async (context) => {
  context.skip(!python.ready, python.reason)
  const { runSync } = await startPublicWorker(context, python, 'echo')
  const s3Config = { accessId: 'a', accessSecret: 'b', bucketName: 'c', endpointUrl: 'https://bucket.example' }
  const webhook = 'https://hooks.example/done'
  const full = await runSync({ text: 'ä €\u0000' }, { webhook, s3Config, unknown: 'left out' })
  expect(full).toEqual({
    ...TIMES,
    id: full.id,
    status: 'COMPLETED',
    output: { job: { id: full.id, input: { text: 'ä €\u0000' }, webhook, s3Config } },
    workerId: WORKER_ID,
  })
  const empty = await runSync({})
  expect(empty.output).toEqual({ job: { id: empty.id, input: {} } })
})

test('the Python client runs a job', async (context) => {
  context.skip(!python.ready, python.reason)
  expect(await runPythonClient(context, python, 'client.py', { do: ['run'] })).toEqual({
    run: { id: expect.stringMatching(/-l1$/), status: 'COMPLETED', output: { greeting: 'Hello, Ada' } },
  })
})

test('statusSync and status of the JavaScript client return the same completed job', async (context) => {
  const { endpoint } = await startJavaScriptClient(context)
  const job = await endpoint.run({ input: { name: 'Ada' } })
  expect(job).toEqual({ id: expect.stringMatching(JOB_ID), status: 'IN_QUEUE' })
  const ended = await endpoint.statusSync(job.id)
  expect(ended).toEqual({
    ...TIMES,
    id: job.id,
    status: 'COMPLETED',
    output: { greeting: 'Hello, Ada' },
    workerId: WORKER_ID,
    started: true,
    completed: true,
    succeeded: true,
  })
  expect(await endpoint.status(job.id)).toEqual(ended)
})
