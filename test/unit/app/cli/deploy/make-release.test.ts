import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { createClient } from '../../../../../src-main/app/cli/client.ts'
import type { ReleaseProgress } from '../../../../../src-main/contract/app.ts'
import { makeRelease } from '../../../../../src-main/features/apps/commands/deploy/run-release.ts'
import { startStandIn } from '../support.ts'
import { events, PLACE, progress, step } from './support.ts'

const PREPARING = progress({ number: 2, state: 'preparing' }, { steps: [step({ state: 'starting' })] })
const ACTIVE = progress({ number: 2 })

/** A service whose streams of the release are these, one after the other. */
async function setup(...streams: readonly ((response: ServerResponse) => void)[]) {
  let asked = 0
  const service = await startStandIn({
    [`POST ${PLACE}/releases`]: PREPARING,
    [`POST ${PLACE}/releases/2/cancel`]: PREPARING,
    [`GET ${PLACE}/releases/2`]: (response: ServerResponse) =>
      streams[Math.min(asked++, streams.length - 1)]?.(response),
  })
  const told: ReleaseProgress[] = []
  const pauses: number[] = []
  const giveUp = new AbortController()
  const make = () =>
    makeRelease(
      createClient({ url: service.url, key: 'k' }),
      { app: 'demo', environment: 'production' },
      { source: { artifact: 'a' } },
      { onProgress: (each) => void told.push(each), giveUp: giveUp.signal, pause: async (ms) => void pauses.push(ms) },
    )
  return { make, told, pauses, giveUp, lines: () => service.seen.map(({ line }) => line) }
}

const cut = (response: ServerResponse) => void response.destroy()

test('a release is followed until it is active', async () => {
  const { make, told, lines } = await setup(events(PREPARING, ACTIVE))
  expect(await make()).toEqual(ACTIVE)
  expect(told).toEqual([PREPARING, PREPARING, ACTIVE])
  expect(lines()).toEqual([`POST ${PLACE}/releases`, `GET ${PLACE}/releases/2?follow=true`])
})

test('progress after it is active counts too: the last progress is returned', async () => {
  const deleted = progress({ number: 2 }, { steps: [step({ action: 'delete' })], endpoints: [] })
  const { make } = await setup(events(PREPARING, ACTIVE, deleted))
  expect(await make()).toEqual(deleted)
})

test.each([
  ['a connection that breaks', cut],
  ['a service that stops, which ends its streams', events(PREPARING)],
])('after %s it is asked again', async (_what, first) => {
  const { make, pauses } = await setup(first, events(ACTIVE))
  expect(await make()).toEqual(ACTIVE)
  expect(pauses).toEqual([100])
})

test('a service that does not come back is given up after six tries', async () => {
  const { make, pauses } = await setup(cut)
  await expect(make()).rejects.toMatchObject({ code: 'NOT_REACHABLE' })
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200])
})

test('a release that is given up before it is known is cancelled as soon as it is', async () => {
  const failed = progress({ number: 2, state: 'failed', reason: 'it was cancelled' })
  const { make, giveUp, lines } = await setup(events(failed))
  giveUp.abort()
  expect(await make()).toEqual(failed)
  expect(lines()).toContain(`POST ${PLACE}/releases/2/cancel`)
})
