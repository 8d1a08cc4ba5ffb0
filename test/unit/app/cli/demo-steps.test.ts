import { expect, test } from 'vitest'
import { DEMO_STEPS } from '../../../../src-main/app/cli/demo-steps.ts'
import type { ServiceClient } from '../../../../src-main/app/client/service-client.ts'

/** Plays one step on a client that gives the answers in their order. */
async function setup(name: string, ...answers: unknown[]) {
  const client = {
    url: 'http://127.0.0.1:1',
    describe: (operation) => operation,
    call: async () => answers.shift() as never,
    download: async function* () {},
    bytes: async () => new Uint8Array(),
    follow: async function* () {},
  } satisfies ServiceClient
  const step = DEMO_STEPS.find((each) => each.name === name)
  if (step === undefined) throw new Error(`there is no step ${name}`)
  const { checks, exchanges } = await step.run(client)
  return { exchanges, wrong: checks.filter(({ right }) => !right).map(({ what }) => what) }
}

const greeted = { id: 'sync-1', status: 'COMPLETED', output: { greeting: 'Hello, world' } }

test('a step whose answers are right has nothing wrong, and shows what was asked and answered', async () => {
  expect(await setup('runsync', greeted)).toEqual({
    exchanges: [{ question: 'runsync {"input":{"name":"world"}}', answer: greeted }],
    wrong: [],
  })
})

test.each([
  ['output', { ...greeted, output: { greeting: 'Hello, moon' } }],
  ['status', { ...greeted, status: 'FAILED' }],
  ['id', { ...greeted, id: '1' }],
])('a wrong %s of the answer is found', async (what, answer) => {
  expect((await setup('runsync', answer)).wrong).toEqual([what])
})

test('a purge that removes too little is found', async () => {
  const queued = { id: 'j', status: 'IN_QUEUE' }
  const { wrong } = await setup(
    'purge',
    ...[{ paused: true }, queued, queued, queued, { removed: 2, status: 'completed' }],
    ...[{ id: 'j', status: 'CANCELLED' }, { paused: false }],
  )
  expect(wrong).toEqual(['answer'])
})

test('the key of the endpoint is not shown', async () => {
  const { exchanges } = await setup('endpoint', { id: 'hello', name: 'hello', key: 'secret-key' })
  expect(JSON.stringify(exchanges)).not.toContain('secret-key')
})
