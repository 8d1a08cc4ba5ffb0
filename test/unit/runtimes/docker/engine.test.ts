import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createEngine, type EngineLocation } from '../../../../src-main/runtimes/docker/engine.ts'
import { silent } from '../../../conformance/process-place.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'

const LONG_MS = 60_000

/** An engine whose address is asked for again and again; `tries` counts how often. */
function unreachable(addresses: EngineLocation['addresses'] = () => []) {
  const time = createFakeClock()
  const clock = { now: time.wall, steady: time.monotonic, after: time.after }
  let tries = 0
  const place = {
    addresses() {
      tries += 1
      return addresses()
    },
    whyNoEngine: () => 'it does not answer',
    isOnLinux: true,
  }
  return { time, engine: createEngine({ clock, log: silent, place, label: 'a=b' }), tries: () => tries }
}

/** An engine that answers all questions but the one for its events. */
async function withoutEvents() {
  const asked = Promise.withResolvers<void>()
  const server = createServer(({ url }, response) => {
    if (url?.includes('/events')) asked.resolve()
    else response.setHeader('content-type', 'application/json').end('{}')
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { asked: asked.promise, addresses: () => [{ host, source: 'a test' }] }
}

test('an engine whose events do not start is dropped, and tried again', async () => {
  const { asked, addresses } = await withoutEvents()
  const { time, engine, tries } = unreachable(addresses)
  onTestFinished(() => engine.close())
  const refused = expect(engine.connect()).rejects.toThrow('it does not answer')
  await asked
  await time.advance(5000)
  await refused
  await time.until(() => tries() === 2)
})

test('an engine that does not answer is tried again until it is closed', async () => {
  const { time, engine, tries } = unreachable()
  await expect(engine.connect()).rejects.toThrow('it does not answer')
  await time.until(() => tries() === 3)
  engine.close()
  await time.advance(LONG_MS)
  expect(tries()).toBe(3)
})

test('closing while a connection is under way ends the wait for it, and nothing tries again', async () => {
  const { promise, reject } = Promise.withResolvers<never>()
  const { time, engine, tries } = unreachable(() => promise)
  const connecting = engine.connect()
  engine.close()
  await expect(connecting).rejects.toThrow('closed')
  reject(new Error('connection refused'))
  await time.advance(LONG_MS)
  expect(tries()).toBe(1)
})

test('a closed engine is not sought', async () => {
  const { time, engine, tries } = unreachable()
  engine.close()
  await expect(engine.connect()).rejects.toThrow('closed')
  await expect(engine.findEngine()).rejects.toThrow('closed')
  await time.advance(LONG_MS)
  expect(tries()).toBe(0)
})
