import { expect, test } from 'vitest'
import { createClient } from '../../src-main/app/cli/client.ts'
import { startedService, until } from '../support/served-service.ts'
import { readSignIn } from '../support/signed-in.ts'
import { createWeb } from '../support/web-client.ts'

/** Opens a stream of events, and says when it has ended. */
async function follow(url: string, headers: Readonly<Record<string, string>>) {
  const response = await fetch(url, { headers })
  expect(response.status).toBe(200)
  let isOver = false
  const reader = response.body?.getReader()
  const read = async () => {
    for (let more = await reader?.read(); more?.done === false; more = await reader?.read());
  }
  void read()
    .catch(() => undefined)
    .finally(() => {
      isOver = true
    })
  return { isOver: () => isOver }
}

test('open streams end when their key is revoked, their session is ended or the account key is rotated', async () => {
  const service = await startedService()
  await service.createEndpoint('work')
  await createWeb(service)
  const url = service.url()
  const account = service.read('data', 'account.key').trim()
  const client = createClient({ url, key: account })
  const { key } = await service.post('/api/keys', { name: 'ada', role: 'run' })
  const link = new URL((await client.call('sessionLinkCreate')).url)
  const session = await readSignIn(await fetch(link, { headers: { 'sec-fetch-site': 'none' } }))
  const bearer = (text: string) => ({ authorization: `Bearer ${text}` })
  const ofKey = await follow(`${url}/events`, bearer(key))
  const logsOfKey = await follow(`${url}/api/endpoints/work/logs?follow=true`, bearer(key))
  const gate = service.gate('event')
  service.openGate('event-0')
  const ofWorker = await follow(`${url}/lb/web/events?gate=${encodeURIComponent(gate)}`, bearer(key))
  const ofSession = await follow(`${url}/events`, session.headers)
  const ofAccount = await follow(`${url}/events`, bearer(account))

  expect((await service.ask('DELETE', '/api/keys/ada')).status).toBe(200)
  await until(() => expect([ofKey, logsOfKey, ofWorker].map(({ isOver }) => isOver())).toEqual([true, true, true]))
  expect([ofSession.isOver(), ofAccount.isOver()]).toEqual([false, false])
  await client.call('sessionsEnd')
  await until(() => expect(ofSession.isOver()).toBe(true))
  expect(ofAccount.isOver()).toBe(false)
  await client.call('keyRotate')
  await until(() => expect(ofAccount.isOver()).toBe(true))
})
