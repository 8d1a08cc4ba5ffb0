import { describe, expect, test } from 'vitest'
import { containerSettings } from '../../../../src-main/contract/container.ts'
import { HELLO_VIEW, sendError, setupCli } from './support.ts'

const UNUSED = { jobs: 0, graphs: [], callers: [], schedules: [], batches: [], comparisons: [] }

const SCHEDULE = {
  ...{ id: 's1', endpointId: 'hello', name: 'nightly', everyMs: 60_000, missed: 'skip', request: '{}' },
  ...{ paused: false, createdAt: 0, upcoming: [], runs: [] },
}

const THERE = {
  'GET /api/endpoints/hello': HELLO_VIEW,
  'GET /api/keys': { keys: [{ name: 'ada', role: 'run', createdAt: 0 }] },
  'GET /api/registries': { registries: [{ name: 'work', server: 'r.test', username: 'ada', updatedAt: 0 }] },
  'GET /api/targets': { targets: [{ name: 'box', url: 'https://box.test', updatedAt: 0 }] },
  'GET /api/models/credentials': { credentials: [{ host: 'example.com', updatedAt: 0 }] },
  'GET /api/batches/b1': {
    ...{ id: 'b1', endpointId: 'hello', name: 'inputs', state: 'ended', createdAt: 0, failures: [] },
    ...{ total: 0, received: 0, unsent: 0, drafts: 0, refused: 0, gone: 0 },
    jobs: { IN_QUEUE: 0, IN_PROGRESS: 0, COMPLETED: 0, FAILED: 0, CANCELLED: 0, TIMED_OUT: 0 },
  },
  'GET /api/comparisons/c1': {
    ...{ id: 'c1', name: 'old, new', createdAt: 0, rules: {}, mode: 'compare', state: 'running', items: 0, rounds: [] },
    versions: [],
  },
}

test.each([
  [['key', 'revoke', 'nope'], 'There is no key named nope. List them with `drydock key list`.'],
  [['registry', 'remove', 'nope'], 'There are no registry credentials nope. List them with `drydock registry list`.'],
  [['target', 'remove', 'nope'], 'There is no target nope. Add it with `drydock target add nope --url URL`.'],
  [
    ['models', 'credentials', 'remove', 'nope'],
    'There are no credentials for nope. List them with `drydock models credentials`.',
  ],
  [['endpoint', 'delete', 'nope'], 'There is no endpoint nope.'],
  [['endpoint', 'rotate-key', 'nope'], 'There is no endpoint nope.'],
])('%j of a thing that does not exist says so instead of asking to confirm', async (argv, why) => {
  const isUnknown = (response: Parameters<typeof sendError>[0]) =>
    sendError(response, 404, 'ENDPOINT_NOT_FOUND', 'There is no endpoint nope.')
  const { run } = await setupCli({
    ...THERE,
    'GET /api/endpoints': { endpoints: [] },
    'GET /api/endpoints/nope': isUnknown,
    'GET /api/endpoints/nope/dependents': isUnknown,
  })
  expect(await run(argv, { person: {} })).toMatchObject({ exitCode: 6, asked: [], stderr: `drydock: ${why}\n` })
})

/** Commands that delete for good; those of apps and models have tests of their own. */
describe.each([
  {
    argv: ['endpoint', 'delete', 'hello'],
    deletes: 'DELETE /api/endpoints/hello',
    what: 'endpoint hello with all its jobs, results, logs, metrics, schedules, batches, load tests and saved requests',
    question:
      'Delete endpoint hello with all its jobs, results, logs, metrics, schedules, batches, load tests and saved requests?',
  },
  { argv: ['key', 'revoke', 'ada'], deletes: 'DELETE /api/keys/ada', what: 'key ada', question: 'Revoke key ada?' },
  {
    argv: ['key', 'rotate', 'ada'],
    deletes: 'POST /api/keys/ada/rotate',
    verb: 'replace',
    what: 'key ada, which stops working at once',
    question: 'Replace key ada, which stops working at once?',
  },
  {
    argv: ['endpoint', 'rotate-key', 'hello'],
    deletes: 'POST /api/endpoints/hello/rotate-key',
    verb: 'replace',
    what: 'the key of endpoint hello, which stops working at once',
    question: 'Replace the key of endpoint hello, which stops working at once?',
  },
  {
    argv: ['registry', 'remove', 'work'],
    deletes: 'DELETE /api/registries/work',
    what: 'the credentials work',
    question: 'Remove the credentials work?',
  },
  {
    argv: ['target', 'remove', 'box'],
    deletes: 'DELETE /api/targets/box',
    what: 'target box and its key',
    question: 'Remove target box and its key?',
  },
  {
    argv: ['models', 'credentials', 'remove', 'example.com'],
    deletes: 'DELETE /api/models/credentials/example.com',
    what: 'the credentials for example.com',
    question: 'Remove the credentials for example.com?',
  },
  {
    argv: ['schedule', 'remove', 'hello', 'nightly'],
    deletes: 'DELETE /api/endpoints/hello/schedules/s1',
    what: 'schedule nightly of hello',
    question: 'Remove schedule nightly of hello?',
  },
  {
    argv: ['batch', 'remove', 'b1'],
    deletes: 'DELETE /api/batches/b1',
    what: 'batch b1',
    question: 'Forget batch b1?',
  },
  {
    argv: ['compare', 'remove', 'c1'],
    deletes: 'DELETE /api/comparisons/c1',
    what: 'comparison c1',
    question: 'Delete comparison c1?',
  },
])('$argv', ({ argv, deletes, what, question, verb = 'delete' }) => {
  async function setup() {
    const { run, service } = await setupCli({
      'GET /api/schedules': { schedules: [SCHEDULE] },
      'GET /api/endpoints/hello/dependents': UNUSED,
      ...THERE,
      'GET /api/endpoints': { endpoints: [] },
      [deletes]: { ok: true },
    })
    const isDeleted = () => service.seen.some(({ line }) => line === deletes)
    return { run, isDeleted, lines: () => service.seen.map(({ line }) => line) }
  }

  test('refuses without a terminal, and says what would be deleted', async () => {
    const { run, isDeleted } = await setup()
    expect(await run(argv)).toMatchObject({
      exitCode: 5,
      stderr: `drydock: Nothing was ${verb}d. This would ${verb} ${what}; confirm it with --yes.\n`,
    })
    expect(isDeleted()).toBe(false)
  })

  test('asks a person, and deletes nothing after a no', async () => {
    const { run, isDeleted } = await setup()
    expect(await run(argv, { person: { yes: false } })).toMatchObject({ exitCode: 1, asked: [question] })
    expect(isDeleted()).toBe(false)
  })

  test('with --yes asks nothing', async () => {
    const { run, lines } = await setup()
    expect(await run([...argv, '--yes', '--json'], { person: {} })).toMatchObject({ asked: [] })
    expect(lines()).toContain(deletes)
  })
})

describe('deleting an endpoint that others use', () => {
  const argv = ['endpoint', 'delete', 'sketch']
  const used = { ...UNUSED, jobs: 1, graphs: ['cat'] }
  const setup = () =>
    setupCli({
      'GET /api/endpoints/sketch/dependents': used,
      'DELETE /api/endpoints/sketch': { ok: true, broke: used },
    })

  test('asks with all that breaks', async () => {
    const { run } = await setup()
    expect((await run(argv, { person: { yes: false } })).asked).toEqual([
      'This breaks: 1 unfinished job, published graph cat. Delete endpoint sketch with all its jobs, results, logs, metrics, schedules, batches, load tests and saved requests?',
    ])
    expect((await run(argv)).stderr).toContain(
      'saved requests, and break the following: 1 unfinished job, published graph cat; confirm it',
    )
  })

  test('with --yes says afterwards what broke', async () => {
    const { run } = await setup()
    expect(await run([...argv, '--yes'])).toMatchObject({
      stdout: 'endpoint sketch deleted\n',
      stderr: 'The following no longer works: 1 unfinished job, published graph cat.\n',
    })
    const { stdout } = await run([...argv, '--yes', '--json'])
    expect(JSON.parse(stdout)).toEqual({ ok: true, broke: used })
  })
})

test('credentials of a registry are removed with the endpoints in mind that pull with them', async () => {
  const endpoints = [
    { ...HELLO_VIEW, id: 'sdxl', container: containerSettings.parse({ registryAuth: 'work' }) },
    HELLO_VIEW,
  ]
  const { run } = await setupCli({
    ...THERE,
    'GET /api/endpoints': { endpoints },
    'DELETE /api/registries/work': { ok: true },
  })
  expect((await run(['registry', 'remove', 'work'], { person: { yes: false } })).asked).toEqual([
    'This breaks: image pulls of sdxl. Remove the credentials work?',
  ])
  expect(await run(['registry', 'remove', 'work', '--yes'])).toMatchObject({
    stderr: 'The following no longer works: image pulls of sdxl.\n',
  })
})
