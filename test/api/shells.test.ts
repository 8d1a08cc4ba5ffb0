import { expect, test } from 'vitest'
import { limit } from '../../src-main/contract/limits.ts'
import { setup, type TestService } from '../support/core.ts'
import { readEvents } from '../support/read-events.ts'

const SIZE = { columns: 80, rows: 24 }

/** A service with one worker and a shell into it. */
async function opened() {
  const service = await setup()
  await service.createEndpoint()
  const worker = await service.worker()
  const { shellId, program } = await service.post(`/api/workers/${worker.id}/shell`, SIZE)
  const shell = service.fleet().shells[0]
  if (shell === undefined) throw new Error('no shell was opened')
  const write = (text: string) => shell.listener.onBytes(Buffer.from(text))
  return { service, worker, shellId, program, shell, write }
}

async function follow(service: TestService, shellId: string, after = 0) {
  const leaving = new AbortController()
  const path = `/api/shells/${shellId}/output?follow=true&after=${after}`
  const events = readEvents(await service.request('GET', path, { signal: leaving.signal }))
  const next = async () =>
    (await events.next()).map(({ data = '' }) => {
      const { data: base64, ...rest } = JSON.parse(data)
      return { text: Buffer.from(base64, 'base64').toString(), ...rest }
    })
  return { next, events, leave: () => leaving.abort() }
}

test('the output of a shell is followed, and input reaches it in order', async () => {
  const { service, shellId, program, shell, write } = await opened()
  expect(program).toBe('sh')
  const { next } = await follow(service, shellId)
  write('$ ')
  expect(await next()).toEqual([{ text: '$ ', end: 2 }])
  for (const text of ['l', 's', '\r']) await service.post(`/api/shells/${shellId}/input`, { text })
  expect(shell.typed).toEqual(['l', 's', '\r'])
  await service.post(`/api/shells/${shellId}/size`, { columns: 132, rows: 50 })
  expect(shell.sizes).toEqual([SIZE, { columns: 132, rows: 50 }])
})

test('a reader that comes back continues where it was, byte for byte', async () => {
  const { service, shellId, write } = await opened()
  write('äb')
  const first = await follow(service, shellId)
  expect(await first.next()).toEqual([{ text: 'äb', end: 3 }])
  first.leave()
  write('cd')
  const again = await follow(service, shellId, 3)
  expect(await again.next()).toEqual([{ text: 'cd', end: 5 }])
  expect(await service.get(`/api/shells/${shellId}/output?after=4`)).toEqual({ end: 5, data: btoa('d') })
})

test('a program that writes faster than it is read waits, and nothing is lost', async () => {
  const { service, shellId, shell, write } = await opened()
  const piece = 'x'.repeat(64 * 1024)
  write(piece)
  write(piece)
  expect(shell.held).toBe(false)
  write('y')
  expect(shell.held).toBe(true)
  const { end, data } = await service.get(`/api/shells/${shellId}/output`)
  expect({ end, length: atob(data).length, held: shell.held }).toEqual({ end: 131_073, length: 131_073, held: false })
  for (let n = 0; n < 4; n += 1) {
    write(piece)
    await service.get(`/api/shells/${shellId}/output?after=${131_073 + n * piece.length}`)
  }
  const kept = atob((await service.get(`/api/shells/${shellId}/output`)).data).length
  expect(kept).toBeGreaterThanOrEqual(limit('shellKeptBytes'))
  expect(kept).toBeLessThan(limit('shellKeptBytes') + piece.length)
})

test('a shell that exits says so, and is not there a minute later', async () => {
  const { service, shellId, shell } = await opened()
  const { next, events } = await follow(service, shellId)
  shell.listener.onEnd('the shell has exited')
  expect(await next()).toEqual([{ text: '', end: 0, ended: 'the shell has exited' }])
  await service.clock.until(() => events.ended())
  expect((await service.ask('POST', `/api/shells/${shellId}/input`, { body: { text: 'x' } })).body.code).toBe(
    'SHELL_NOT_FOUND',
  )
  await service.clock.advance(59_999)
  expect(await service.get(`/api/shells/${shellId}/output`)).toMatchObject({ ended: 'the shell has exited' })
  await service.clock.advance(1)
  expect((await service.ask('GET', `/api/shells/${shellId}/output`)).status).toBe(404)
})

test('a shell that nobody reads for a minute is ended; one that is read stays', async () => {
  const { service, shellId, shell } = await opened()
  const reader = await follow(service, shellId)
  await service.clock.advance(120_000)
  expect(shell.closed).toBe(false)
  reader.leave()
  await service.clock.advance(59_999)
  expect(shell.closed).toBe(false)
  await service.clock.advance(1)
  expect(shell.closed).toBe(true)
})

test('a shell ends with its worker, and says why that ended', async () => {
  const { service, worker, shellId, shell } = await opened()
  const { next } = await follow(service, shellId)
  service.fleet().end(worker.id, { signal: 'SIGKILL' })
  await service.clock.until(() => shell.closed)
  expect(await next()).toEqual([{ text: '', end: 0, ended: 'the worker has ended: killed by SIGKILL' }])
})

test('shells end with the service', async () => {
  const { service, shell } = await opened()
  await service.restart('in order')
  expect(shell.closed).toBe(true)
})

test.each([
  ['the service stops', (service: TestService) => service.service().shells.stop()],
  [
    'its worker ends',
    async (service: TestService, workerId: string) => {
      service.fleet().end(workerId, { code: 1 })
      await service.clock.until(() => service.service().registry.get(workerId) === undefined)
    },
  ],
])('a shell that is being opened while %s is closed', async (_what, happens) => {
  const service = await setup()
  await service.createEndpoint()
  const worker = await service.worker()
  const fleet = service.fleet()
  const { openShell } = fleet
  const held = Promise.withResolvers<void>()
  Object.assign(fleet, {
    openShell: async (...args: Parameters<typeof openShell>) => {
      const shell = await openShell(...args)
      await held.promise
      return shell
    },
  })
  const answer = service.ask('POST', `/api/workers/${worker.id}/shell`, { body: SIZE })
  await service.clock.until(() => fleet.shells.length === 1)
  await happens(service, worker.id)
  held.resolve()
  expect((await answer).body.code).toBe('SHELL_REFUSED')
  expect(fleet.shells[0]?.closed).toBe(true)
})

test('eight shells are open at once; one that ended makes room', async () => {
  const { service, worker, shellId, shell } = await opened()
  const open = () => service.ask('POST', `/api/workers/${worker.id}/shell`, { body: SIZE })
  for (let n = 2; n <= 8; n += 1) expect((await open()).status).toBe(200)
  expect((await open()).body.code).toBe('TOO_MANY_SHELLS')
  expect((await service.ask('DELETE', `/api/shells/${shellId}`)).status).toBe(200)
  expect(shell.closed).toBe(true)
  expect((await open()).status).toBe(200)
})

test('only the account opens a shell, and its log knows nothing of what goes through it', async () => {
  const { service, worker, shellId, write } = await opened()
  const key = await service.createEndpoint('other')
  const path = `/api/workers/${worker.id}/shell`
  expect((await service.ask('POST', path, { body: SIZE, key: null })).status).toBe(401)
  expect((await service.ask('POST', path, { body: SIZE, key })).body.code).toBe('FORBIDDEN_KEY')
  const { key: reader } = await service.post('/api/keys', { name: 'reader', role: 'read' })
  expect((await service.ask('GET', `/api/shells/${shellId}/output`, { key: reader })).status).toBe(403)
  const foreign = { origin: 'http://127.0.0.1:9999' }
  expect((await service.ask('POST', path, { body: SIZE, headers: foreign })).body.code).toBe('FORBIDDEN_ORIGIN')
  await service.post(`/api/shells/${shellId}/input`, { text: 'export TOKEN=hush' })
  write('hush')
  await service.ask('DELETE', `/api/shells/${shellId}`)
  expect(service.log.map(({ message }) => message)).toEqual(expect.arrayContaining(['shell opened', 'shell ended']))
  expect(JSON.stringify(service.log)).not.toContain('hush')
})

test.each([
  [{ text: 'x'.repeat(64 * 1024) }, 200],
  [{ text: 'x'.repeat(64 * 1024 + 1) }, 400],
  [{ text: 'ä'.repeat(32 * 1024 + 1) }, 400],
  [{}, 400],
])('input of a call is bounded in bytes', async (body, status) => {
  const { service, shellId } = await opened()
  expect((await service.ask('POST', `/api/shells/${shellId}/input`, { body })).status).toBe(status)
})
