import { expect, test } from 'vitest'
import { stayUp } from '../../../src-main/cli/start-service.ts'
import { surroundingsOf } from './support.ts'

/** A server whose `stop` is noted and never ends before the test says so. */
function setup() {
  const stopped = Promise.withResolvers<void>()
  const stopCall = Promise.withResolvers<void>()
  let stops = 0
  const server = {
    url: 'http://127.0.0.1:1',
    data: '/data',
    keyFile: '/data/account.key',
    workerUrl: 'http://127.0.0.1:2',
    stopped: stopped.promise,
    stop: () => {
      stops += 1
      return stopCall.promise
    },
  }
  const { surroundings, signal, exits } = surroundingsOf('/')
  let told = 0
  const up = stayUp(server, surroundings, () => {
    told += 1
  })
  return { up, signal, exits, stopped, stopCall, counts: () => ({ stops, told }) }
}

test('the first signal stops the service once, and the command ends when it has stopped', async () => {
  const { up, signal, exits, stopped, counts } = setup()
  signal('SIGTERM')
  expect(counts()).toEqual({ stops: 1, told: 1 })
  stopped.resolve()
  await up
  expect(exits).toEqual([])
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('a second signal ends the process at once: %s with %i', async (name, code) => {
  const { up, signal, exits, stopped, counts } = setup()
  signal('SIGINT')
  signal(name)
  expect(exits).toEqual([code])
  expect(counts()).toEqual({ stops: 1, told: 1 })
  stopped.resolve()
  await up
})

test('a service that stops by itself ends the command', async () => {
  const { up, stopped, counts } = setup()
  stopped.resolve()
  await up
  expect(counts()).toEqual({ stops: 0, told: 0 })
})

test('a stop that fails ends the command with its reason', async () => {
  const { up, signal, stopCall } = setup()
  signal('SIGINT')
  stopCall.reject(new Error('the database is gone'))
  await expect(up).rejects.toThrow('the database is gone')
})

test('signals are not heard any more when the service has stopped', async () => {
  const { up, signal, stopped, counts } = setup()
  stopped.resolve()
  await up
  signal('SIGINT')
  expect(counts()).toEqual({ stops: 0, told: 0 })
})
