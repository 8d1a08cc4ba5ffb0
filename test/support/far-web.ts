/** A load-balanced worker on other machines, whose program is a folder there: requests, server-sent events, WebSockets. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { RemoteMachine } from './far-machine.ts'
import { type ServedService, until } from './served-service.ts'

const WEB = new URL('workers/web.py', import.meta.url)

/** Where it runs, and how the test reaches into its container. */
export type RemoteWeb = {
  /** Those that may run it; each gets the folder. */
  readonly machines: readonly RemoteMachine[]
  /** Settings of its container. */
  readonly container: object
  /** Makes a file in the container of the worker that runs. */
  readonly touch: (path: string) => Promise<unknown>
  /** Until it answers, ms. */
  readonly startMs?: number
}

/** Starts it as `web`, and expects that it answers here as on this machine. */
export async function expectWebAnswers(
  service: ServedService,
  { machines, container, touch, startMs }: RemoteWeb,
): Promise<void> {
  // A folder of that machine, which is no folder of this one.
  for (const machine of machines)
    await machine.run(
      'sh',
      '-c',
      'mkdir -p /root/web && printf %s "$1" >/root/web/web.py',
      'sh',
      readFileSync(WEB, 'utf8'),
    )
  await service.createEndpoint('web', {
    handler: undefined,
    command: 'python3 /web/web.py',
    loadBalanced: {},
    env: { LISTEN_HOST: '0.0.0.0' },
    ...{ workersMin: 1, workersMax: 1 },
    container: { ...container, volumes: [{ source: '/root/web', target: '/web', readOnly: true }] },
  })
  await until(async () => expect((await service.ask('GET', '/lb/web/work?ms=1')).status).toBe(200), startMs)
  const headers = { authorization: `Bearer ${service.read('data', 'account.key').trim()}` }

  await touch('/tmp/gate-0')
  const events = await fetch(`${service.url()}/lb/web/events?gate=/tmp/gate`, { headers })
  let stream = ''
  for await (const piece of events.body ?? []) {
    stream += Buffer.from(piece).toString()
    // The next event is only written when this one has come.
    await touch(`/tmp/gate-${stream.split('data:').length - 1}`)
  }
  expect(stream).toMatch(/data: ?0.*data: ?1.*data: ?2/s)

  const socket = new WebSocket(`${service.url().replace('http', 'ws')}/lb/web/socket`, { headers })
  await once(socket, 'open')
  socket.send('there and back')
  expect(((await once(socket, 'message'))[0] as MessageEvent).data).toBe('there and back')
  socket.close()
}
