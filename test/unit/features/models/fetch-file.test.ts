import { expect, test } from 'vitest'
import { createFetchFile } from '../../../../src-main/features/models/adapters/fetch-file.ts'
import type { Fetched, FetchRequest } from '../../../../src-main/features/models/ports.ts'
import { sendFile, startHost } from '../../../support/model-files.ts'

const FILE = Buffer.from('0123456789')

// To this test 127.0.0.1 is an address of others, and all else of this machine.
const fetchFile = createFetchFile((address) => address !== '127.0.0.1')

const request = (url: string, more: Partial<FetchRequest> = {}): FetchRequest => ({
  url,
  from: 0,
  validator: undefined,
  authorization: () => undefined,
  allowPrivate: false,
  signal: new AbortController().signal,
  ...more,
})

async function textOf(fetched: Fetched): Promise<string> {
  if (fetched.kind !== 'file') throw new Error(JSON.stringify(fetched))
  return Buffer.concat(await Array.fromAsync(fetched.body)).toString()
}

test('a file comes whole, or from where it is wanted while it is the same', async () => {
  const host = await startHost((incoming, outgoing) => sendFile(incoming, outgoing, FILE, { etag: '"one"' }))
  const whole = await fetchFile(request(`${host.url}/a`))
  expect(whole).toMatchObject({ kind: 'file', from: 0, totalBytes: 10, validator: '"one"' })
  expect(await textOf(whole)).toBe('0123456789')
  const rest = await fetchFile(request(`${host.url}/a`, { from: 4, validator: '"one"' }))
  expect(rest).toMatchObject({ kind: 'file', from: 4, totalBytes: 10 })
  expect(await textOf(rest)).toBe('456789')
  const other = await fetchFile(request(`${host.url}/a`, { from: 4, validator: '"two"' }))
  expect(other).toMatchObject({ kind: 'file', from: 0 })
  expect(await textOf(other)).toBe('0123456789')
  // Nobody could say that the rest belongs to the same file.
  await textOf(await fetchFile(request(`${host.url}/a`, { from: 4 })))
  expect(host.seen.map(({ range, ifRange }) => [range, ifRange])).toEqual([
    [undefined, undefined],
    ['bytes=4-', '"one"'],
    ['bytes=4-', '"two"'],
    [undefined, undefined],
  ])
})

test('a redirect to a private address is refused, whichever hop it is', async () => {
  const inside = await startHost((incoming, outgoing) => sendFile(incoming, outgoing, FILE), '127.0.0.2')
  const second = await startHost((_incoming, outgoing) => void outgoing.writeHead(302, { location: inside.url }).end())
  const first = await startHost((_incoming, outgoing) => void outgoing.writeHead(307, { location: second.url }).end())
  const fault = await fetchFile(request(first.url))
  expect(fault).toEqual({
    kind: 'fault',
    isFinal: true,
    why: '127.0.0.2 is a private address (127.0.0.2), which downloads do not reach; allow it with `drydock settings set modelsFromPrivateAddresses true`',
  })
  expect(inside.seen).toEqual([])
  expect(await textOf(await fetchFile(request(first.url, { allowPrivate: true })))).toBe('0123456789')
  for (const location of ['file:///etc/passwd', 'ftp://127.0.0.1/x']) {
    const leads = await startHost((_incoming, outgoing) => void outgoing.writeHead(302, { location }).end())
    expect(await fetchFile(request(leads.url))).toMatchObject({ kind: 'fault', isFinal: true })
  }
})

test('credentials go to their host alone, also after a redirect', async () => {
  const bytes = await startHost((incoming, outgoing) => sendFile(incoming, outgoing, FILE))
  const host = await startHost(
    (_incoming, outgoing) => void outgoing.writeHead(302, { location: `http://thief:word@${bytes.place}/b` }).end(),
  )
  const authorization = (place: string) => (place === host.place ? 'Bearer secret' : undefined)
  await textOf(await fetchFile(request(`${host.url}/a`, { authorization })))
  expect(host.seen[0]?.authorization).toBe('Bearer secret')
  expect(bytes.seen.map((one) => one.authorization)).toEqual([undefined])
})

test('a host that leads in a circle is given up', async () => {
  const host = await startHost((_incoming, outgoing) => void outgoing.writeHead(302, { location: '/again' }).end())
  expect(await fetchFile(request(host.url))).toEqual({
    kind: 'fault',
    isFinal: true,
    why: `${host.place} redirected more than 5 times`,
  })
  expect(host.seen.length).toBe(6)
})

test.each([
  [401, {}, true, /refuses it \(HTTP 401\) without credentials. Store some with `drydock models credentials add/],
  [404, {}, true, /has no such file \(HTTP 404\)/],
  [500, {}, false, /answered with HTTP 500/],
  [429, {}, false, /answered with HTTP 429/],
  [200, { 'content-type': 'text/html; charset=utf-8' }, true, /sent a web page, not a file/],
  [200, { 'content-encoding': 'gzip' }, true, /in another form \(gzip\)/],
  [206, { 'content-range': 'bytes 7-9/10' }, true, /sent a different part of the file/],
])('an answer %i %o says what is wrong', async (status, headers, isFinal, why) => {
  const host = await startHost((_incoming, outgoing) => void outgoing.writeHead(status, headers).end())
  expect(await fetchFile(request(host.url))).toEqual({ kind: 'fault', isFinal, why: expect.stringMatching(why) })
})

test('a checksum in the headers of a redirect is used', async () => {
  const sha256 = 'a'.repeat(64)
  const bytes = await startHost((incoming, outgoing) => sendFile(incoming, outgoing, FILE))
  const host = await startHost((_incoming, outgoing) =>
    outgoing.writeHead(302, { location: bytes.url, 'x-linked-etag': `"${sha256}"` }).end(),
  )
  expect(await fetchFile(request(host.url))).toMatchObject({ kind: 'file', sha256 })
})
