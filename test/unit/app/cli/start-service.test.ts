import { expect, test } from 'vitest'
import { runService } from '../../../../src-main/app/cli/start-service.ts'
import { surroundingsOf } from './support.ts'

/** A service whose start and stop end when the test says so. */
function setup({ failsWhenUp = false, runningJobs = 0 } = {}) {
  const started = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  const counts = { stops: 0, hurries: 0, ups: 0, told: 0 }
  const texts: string[] = []
  const server = {
    url: 'http://127.0.0.1:1',
    data: '/data',
    keyFile: '/data/account.key',
    workerUrl: 'http://127.0.0.1:2',
    warnings: [],
    stopped: stopped.promise,
    stop: () => {
      counts.stops += 1
      return stopped.promise
    },
    hurry: () => {
      counts.hurries += 1
    },
    runningJobs: () => runningJobs,
    left: () => [],
    stopGraceMs: 10_000,
  }
  const { surroundings, signal, exits, wait } = surroundingsOf('/')
  const up = Promise.withResolvers<void>()
  const ended = runService(() => started.promise.then(() => server), surroundings, {
    onUp: () => {
      counts.ups += 1
      up.resolve()
      if (failsWhenUp) throw new Error('nobody reads this')
    },
    onStopping: (text) => {
      counts.told += 1
      texts.push(text)
    },
  })
  return { started, stopped, up: up.promise, ended, signal, wait, exits, counts, texts }
}

test('the first signal stops the service, and the command ends when it has stopped', async () => {
  const { started, stopped, up, ended, signal, exits, counts } = setup()
  started.resolve()
  await up
  signal('SIGTERM')
  stopped.resolve()
  await ended
  expect({ exits, counts }).toEqual({ exits: [], counts: { stops: 1, hurries: 0, ups: 1, told: 1 } })
})

test('a signal that comes while the service starts stops it as soon as it is there', async () => {
  const { started, stopped, ended, signal, exits, counts } = setup()
  signal('SIGINT')
  started.resolve()
  stopped.resolve()
  await ended
  expect({ exits, counts }).toEqual({ exits: [], counts: { stops: 1, hurries: 0, ups: 0, told: 1 } })
})

test.each([
  [0, 'stopping ...'],
  [1, 'waiting for 1 running job, up to 10 s; Ctrl+C again stops now'],
  [2, 'waiting for 2 running jobs, up to 10 s; Ctrl+C again stops now'],
])('a stop with %i running jobs says: %s', async (runningJobs, text) => {
  const { started, stopped, up, ended, signal, texts } = setup({ runningJobs })
  started.resolve()
  await up
  signal('SIGINT')
  stopped.resolve()
  await ended
  expect(texts).toEqual([text])
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('a second signal ends the wait for jobs, and a third the process: %s with %i', async (name, code) => {
  const { started, stopped, up, ended, signal, wait, exits, counts } = setup()
  started.resolve()
  await up
  signal('SIGINT')
  wait(301)
  signal(name)
  expect({ exits, hurries: counts.hurries }).toEqual({ exits: [], hurries: 1 })
  wait(301)
  signal(name)
  expect({ exits, hurries: counts.hurries, told: counts.told }).toEqual({ exits: [code], hurries: 1, told: 1 })
  stopped.resolve()
  await ended
})

test('one press that arrives twice stops the service in order', async () => {
  const { started, stopped, up, ended, signal, wait, exits, counts } = setup()
  started.resolve()
  await up
  signal('SIGINT')
  wait(300)
  signal('SIGINT')
  stopped.resolve()
  await ended
  expect({ exits, counts }).toEqual({ exits: [], counts: { stops: 1, hurries: 0, ups: 1, told: 1 } })
})

test('a second signal is heard even if the clock was set back after the first', async () => {
  const { started, stopped, up, ended, signal, wait, exits, counts } = setup()
  started.resolve()
  await up
  signal('SIGINT')
  wait(-3_600_000)
  signal('SIGINT')
  expect({ exits, hurries: counts.hurries }).toEqual({ exits: [], hurries: 1 })
  stopped.resolve()
  await ended
})

test('a service that stops by itself ends the command', async () => {
  const { started, stopped, up, ended, counts } = setup()
  started.resolve()
  await up
  stopped.resolve()
  await ended
  expect(counts.told).toBe(0)
})

test('a stop that fails ends the command with its reason', async () => {
  const { started, stopped, up, ended, signal } = setup()
  started.resolve()
  await up
  signal('SIGINT')
  stopped.reject(new Error('the database is gone'))
  await expect(ended).rejects.toThrow('the database is gone')
})

test('a start that fails ends the command with its reason, and no signal is heard any more', async () => {
  const { started, ended, signal, counts } = setup()
  started.reject(new Error('the port is taken'))
  await expect(ended).rejects.toThrow('the port is taken')
  signal('SIGINT')
  expect(counts).toEqual({ stops: 0, hurries: 0, ups: 0, told: 0 })
})

test('a service whose command fails does not stay up', async () => {
  const { started, stopped, ended, counts } = setup({ failsWhenUp: true })
  started.resolve()
  stopped.resolve()
  await expect(ended).rejects.toThrow('nobody reads this')
  expect(counts.stops).toBeGreaterThan(0)
})
