/** The life of a svc-worker process: taking, cancel, pings, an absent service, and its end. */
import { expect, test } from 'vitest'
import { until } from '../support/served-service.ts'
import { GATED, started } from './worker-place.ts'

const WAITS = `${GATED}
  export async function handler({ input }, { signal, progress }) {
    progress('runs')
    await gate('go', signal)
    return input
  }`

test('with room for several jobs it asks for as many, and never runs more', async () => {
  const { service, open } = await started(WAITS, { SVC_CONCURRENCY: '3' })
  const ids = service.submit('1', '2', '3', '4')
  await until(() => expect(ids.flatMap(service.progress)).toEqual(['runs', 'runs', 'runs']))
  expect(service.waiting()).toBe(1)
  expect(service.calls('job-take-batch')[0]?.query.get('batch_size')).toBe('3')
  open('go')
  expect(await Promise.all(ids.map(service.result))).toEqual([1, 2, 3, 4].map((output) => ({ output })))
})

test('a cancel aborts the signal, the handler cleans up, and nothing is posted', async () => {
  const { service, lines, open } = await started(
    // The cancel also rejects a promise that nobody awaits; that must not end the worker.
    WAITS.replace(
      'await gate',
      'signal.onabort = () => console.log("cleans up")\nvoid pause(3_600_000, undefined, { signal, ref: false })\nawait gate',
    ),
  )
  const [id = ''] = service.submit('"stopped"')
  await until(() => expect(service.progress(id)).toEqual(['runs']))
  await service.stop(id)
  open('go')
  const [next = ''] = service.submit('"next"')
  expect(await service.result(next)).toEqual({ output: 'next' })
  expect(service.results(id)).toEqual([])
  expect(lines(id).map(({ message }) => message)).toEqual(['cleans up'])
})

test('a stream ends with the cancel, after the finally of its generator', async () => {
  const { service, lines } = await started(`
    import { setTimeout as pause } from 'node:timers/promises'
    export async function* handler({ input }, { signal }) {
      try {
        yield input
        if (input === 'first') await pause(3_600_000, undefined, { signal })
      } finally {
        console.log('closed')
      }
    }`)
  const [id = ''] = service.submit('"first"')
  await until(() => expect(service.chunks(id)).toEqual(['first']))
  await service.stop(id)
  const [next = ''] = service.submit('"next"')
  await service.result(next)
  expect([service.results(id), service.chunks(id)]).toEqual([[], ['first']])
  expect(lines(id).map(({ message }) => message)).toEqual(['closed'])
})

test('pings go on, and name the job, while a handler holds up the event loop', async () => {
  const { service, open } = await started(`
    import { existsSync } from 'node:fs'
    export function handler() {
      while (!existsSync('enough')) for (let n = 0; n < 1e6; n++);
      return 'done'
    }`)
  const [id = ''] = service.submit('{}')
  const pings = () => service.calls('ping').filter(({ query }) => query.get('job_id') === id)
  await until(() => expect(pings().length).toBeGreaterThan(1))
  expect(pings()[0]?.query.get('runpod_version')).toMatch(/^svc-node-\d/)
  open('enough')
  expect(await service.result(id)).toEqual({ output: 'done' })
})

test('a result is offered again after 5xx and broken connections, and not after other refusals', async () => {
  const { service, waitForLog } = await started(`export const handler = ({ input }) => input`)
  service.script('job-done', { status: 500 }, { status: 0 }, { status: 503 })
  const [id = ''] = service.submit('1')
  await until(() => expect(service.results(id)).toHaveLength(4))
  service.script('job-done', { status: 400 })
  const [refused = ''] = service.submit('2')
  await waitForLog('given up: the service answered 400')
  expect(service.results(refused)).toHaveLength(1)
})

test('a service that goes away and comes back is reported of twice, and no job is lost', async () => {
  const { service, lines, open, waitForLog } = await started(WAITS)
  const [id = ''] = service.submit('"kept"')
  await until(() => expect(service.progress(id)).toEqual(['runs']))
  service.goAway()
  open('go')
  await waitForLog('service is away')
  await service.comeBack()
  service.script('job-stop', { status: 204 }) // the last channel to be answered
  expect(await service.result(id)).toEqual({ output: 'kept' })
  const [next = ''] = service.submit('"next"')
  expect(await service.result(next)).toEqual({ output: 'next' })
  await until(() => expect(lines(undefined).filter(({ message }) => /^service is/.test(message))).toHaveLength(2))
})

test('a service that is away for too long is left', async () => {
  const { service, ended, log } = await started(WAITS, { SVC_AWAY_LIMIT_MS: '50' })
  await until(() => expect(service.calls('job-take').length).toBe(1))
  service.goAway()
  expect(await ended).toBe(1)
  expect(log()).toMatch(/svc-worker: the service has not been reachable for \d+ s; this worker stops\n$/)
})

test('a draining worker posts what runs and takes no more; idle it ends at once', async () => {
  const { service, kill, ended, open, waitForLog } = await started(WAITS)
  const [id = ''] = service.submit('1')
  await until(() => expect(service.progress(id)).toEqual(['runs']))
  kill('SIGTERM')
  await waitForLog('finishing current jobs, then stopping')
  service.submit('2')
  open('go')
  expect(await ended).toBe(0)
  expect([service.results(id), service.waiting()]).toEqual([[{ output: 1 }], 1])

  const idle = await started(WAITS)
  await until(() => expect(idle.service.calls('job-take').length).toBe(1))
  idle.kill('SIGINT')
  expect(await idle.ended).toBe(0)
})

test('the second signal ends it at once', async () => {
  const { service, kill, ended, waitForLog } = await started(WAITS)
  const [id = ''] = service.submit('1')
  await until(() => expect(service.progress(id)).toEqual(['runs']))
  kill('SIGTERM')
  await waitForLog('finishing current jobs')
  kill('SIGTERM')
  expect(await ended).toBe(143)
})

test('a worker to be replaced takes nothing more and waits for its end', async () => {
  const { service, kill, ended, waitForLog } = await started(
    `export const handler = () => ({ refresh_worker: true, x: 1 })`,
  )
  const [id = ''] = service.submit('{}')
  expect(await service.result(id)).toEqual({ output: { x: 1 }, stopPod: true })
  await waitForLog('this worker will be replaced')
  service.submit('{}')
  const pings = service.calls('ping').length
  await until(() => expect(service.calls('ping').length).toBeGreaterThan(pings))
  expect(service.waiting()).toBe(1)
  kill('SIGTERM')
  expect(await ended).toBe(0)
})

test('an uncaught error ends it, with last words', async () => {
  const { service, ended, log, file } = await started(`
    export async function handler() {
      setTimeout(() => { throw new TypeError('nobody catches this') })
      await new Promise(() => {})
    }`)
  service.submit('{}')
  expect(await ended).toBe(1)
  expect(log()).toContain(`TypeError: nobody catches this\n    at`)
  expect(log()).toContain(file)
  expect(log()).toMatch(/\nsvc-worker: ended by an error: nobody catches this\n$/)
})

const FILES_THAT_CANNOT_BE_USED: readonly [string, string, RegExp][] = [
  ['throws', `throw new Error('no model')\nexport {}`, /^Error: no model\n {4}at file:.*handler\.ts:1:/],
  ['has a mistake in its syntax', `export function handler( {`, /SyntaxError|Expected/],
  [
    'exports no handler',
    `export const handler = 7`,
    /^svc-worker: .*handler\.ts exports no function named "handler"\n$/,
  ],
  [
    'asks for half a job at once',
    `export const concurrency = 0.5\nexport const handler = () => 1`,
    /"concurrency" must be a whole number of at least 1\n$/,
  ],
]
test.for(FILES_THAT_CANNOT_BE_USED)('a file that %s ends it with the reason', async ([, code, reason]) => {
  const { service, ended, log } = await started(code)
  expect(await ended).toBe(1)
  expect(log()).toMatch(reason)
  expect(service.calls('job-take')).toEqual([])
})

test('an environment without a service is refused by the name of what is missing', async () => {
  const { ended, log } = await started('', { RUNPOD_WEBHOOK_PING: 'http://x/' })
  expect(await ended).toBe(1)
  expect(log()).toBe("svc-worker: RUNPOD_WEBHOOK_PING must hold a '?': parameters are appended to it with '&'\n")
})
