import { isDeepStrictEqual } from 'node:util'
import { HELLO } from '../../contract/catalog.ts'
import type { Operation, ResponseOf } from '../client/calls.ts'
import type { ServiceArguments, ServiceClient } from '../client/service-client.ts'
import { HELLO_HANDLER } from './hello-sample.ts'
import { followToEnd } from './session.ts'

export type Exchange = { readonly question: string; readonly answer: unknown }

export type Check = { readonly what: string; readonly got: unknown; readonly wanted: unknown; readonly right: boolean }

export type StepResult = { readonly exchanges: readonly Exchange[]; readonly checks: readonly Check[] }

export type DemoStep = ReturnType<typeof step>

type Notebook = {
  ask<Name extends Operation>(name: Name, args?: ServiceArguments<Name>): Promise<ResponseOf<Name>>
  note(question: string, answer: unknown): void
  check(what: string, got: unknown, wanted: unknown): void
}

const endpoint = { endpointId: HELLO }
const ofJob = (jobId: string) => ({ path: { endpointId: HELLO, jobId } })
const withInput = (input: Record<string, unknown>) => ({ path: endpoint, body: { input } })

export const DEMO_STEPS: readonly DemoStep[] = [
  step('endpoint', 'create an endpoint from a Python file', async ({ ask, check }) => {
    const { key, ...created } = await ask('endpointCreate', {
      body: { id: HELLO, name: HELLO, handler: HELLO_HANDLER },
    })
    check('id', created.id, HELLO)
    check('has a key', key.length > 0, true)
  }),
  step('run', 'queue a job, then read its result', async ({ ask, check }) => {
    const job = await ask('run', withInput({ name: 'Ada' }))
    check('status at once', job.status, 'IN_QUEUE')
    const done = await ask('statusSync', ofJob(job.id))
    check('status at the end', done.status, 'COMPLETED')
    check('output', done.output, { greeting: 'Hello, Ada' })
    check('status reads the same', await ask('status', ofJob(job.id)), done)
  }),
  step('runsync', 'queue a job and wait for its result', async ({ ask, check }) => {
    const done = await ask('runsync', withInput({ name: 'world' }))
    check('status', done.status, 'COMPLETED')
    check('output', done.output, { greeting: 'Hello, world' })
    check('id', done.id.startsWith('sync-'), true)
  }),
  step('async', 'an async handler', async ({ ask, check }) => {
    const done = await ask('runsync', withInput({ do: 'nap', seconds: 0.2 }))
    check('status', done.status, 'COMPLETED')
    check('output', done.output, { slept: 0.2 })
    check('took its time', (done.executionTime ?? 0) >= 200, true)
  }),
  step('stream', 'read what a generator yields, as it comes', async ({ ask, note, check }, client) => {
    const job = await ask('run', withInput({ do: 'count', n: 5 }))
    const events: { readonly event: string; readonly data: unknown }[] = []
    for await (const { event, data } of followToEnd(client, 'stream', () => ofJob(job.id))) {
      events.push({ event, data: JSON.parse(data) })
    }
    note(
      `GET /v2/${HELLO}/stream/${job.id}`,
      events.map(({ data }) => data),
    )
    const chunks = events.filter(({ event }) => event === 'chunk').map(({ data }) => data)
    check(
      'chunks',
      chunks,
      [1, 2, 3, 4, 5].map((count) => ({ output: { count } })),
    )
    check('end', events.at(-1), { event: 'end', data: { status: 'COMPLETED' } })
  }),
  step('cancel', 'cancel a job while it runs', async ({ ask, note, check }, client) => {
    const job = await ask('run', withInput({ do: 'nap', seconds: 60 }))
    const running = await untilRunning(client, job.id)
    note(`GET /v2/${HELLO}/status/${job.id}`, running)
    check('runs', running.status, 'IN_PROGRESS')
    check('answer', await ask('cancel', ofJob(job.id)), { id: job.id, status: 'CANCELLED' })
    check('stays so', (await ask('status', ofJob(job.id))).status, 'CANCELLED')
  }),
  step('fail', 'an exception of the handler fails the job, not the worker', async ({ ask, check }, client) => {
    const job = await ask('run', withInput({ do: 'fail' }))
    const failed = await ask('statusSync', ofJob(job.id))
    check('status', failed.status, 'FAILED')
    check('error names the reason', failed.error?.includes('asked to fail'), true)

    check('retry keeps the id', await ask('retry', ofJob(job.id)), { id: job.id, status: 'IN_QUEUE' })
    const again = await ask('statusSync', ofJob(job.id))
    check('it fails again', again.status, 'FAILED')
    const { history } = await client.call('jobRead', { path: { jobId: job.id } })
    check('failed twice', history.filter(({ event }) => event === 'fail').length, 2)
  }),
  step('purge', 'empty the queue of a paused endpoint', async ({ ask, note, check }, client) => {
    await ask('endpointPause', { path: endpoint }).then(({ paused }) => check('paused', paused, true))
    const jobs = await Promise.all([1, 2, 3].map((n) => client.call('run', withInput({ name: `waiting ${n}` }))))
    note(`POST /v2/${HELLO}/run, three times`, jobs)
    check(
      'all wait',
      jobs.map(({ status }) => status),
      ['IN_QUEUE', 'IN_QUEUE', 'IN_QUEUE'],
    )
    check('answer', await ask('purgeQueue', { path: endpoint }), { removed: 3, status: 'completed' })
    check('a purged job', (await ask('status', ofJob(jobs[0]?.id ?? ''))).status, 'CANCELLED')
    await ask('endpointResume', { path: endpoint }).then(({ paused }) => check('paused', paused, false))
  }),
  step('health', 'the counters agree with all of the above', async ({ ask, check }) => {
    const { jobs } = await ask('health', { path: endpoint })
    check('in queue', jobs.inQueue, 0)
    check('in progress', jobs.inProgress, 0)
    check('completed', jobs.completed, 4)
    check('failed', jobs.failed >= 1, true)
  }),
]

function step(name: string, about: string, script: (notebook: Notebook, client: ServiceClient) => Promise<void>) {
  return {
    name,
    about,
    async run(client: ServiceClient): Promise<StepResult> {
      const exchanges: Exchange[] = []
      const checks: Check[] = []
      const notebook: Notebook = {
        note: (question, answer) => void exchanges.push({ question, answer }),
        check: (what, got, wanted) => void checks.push({ what, got, wanted, right: isDeepStrictEqual(got, wanted) }),
        async ask(operation, args) {
          const answer = await client.call(operation, args)
          const body = args?.body === undefined ? '' : ` ${JSON.stringify(args.body)}`
          notebook.note(`${client.describe(operation, args)}${body}`, withoutKey(answer))
          return answer
        },
      }
      await script(notebook, client)
      return { exchanges, checks }
    },
  }
}

async function untilRunning(client: ServiceClient, jobId: string): Promise<ResponseOf<'status'>> {
  for (;;) {
    const job = await client.call('status', ofJob(jobId))
    if (job.status !== 'IN_QUEUE') return job
    // Every read is a round trip, which is a sufficient pause while a worker starts.
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

const POLL_MS = 20

/** A key is never printed, not even one of a temporary endpoint. */
function withoutKey(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('key' in answer)) return answer
  return { ...answer, key: '(shown once)' }
}
