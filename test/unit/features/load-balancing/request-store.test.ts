import { expect, it } from 'vitest'
import { openStorage } from '../../../../src-main/storage/open-storage.ts'

const request = (n: number, more: object = {}) => ({
  at: n,
  endpointId: 'web',
  method: 'GET',
  path: `/${n}`,
  status: 200,
  waitedMs: 0,
  durationMs: 1,
  bytesIn: 0,
  bytesOut: 2,
  ...more,
})

async function setup(count: number) {
  const { requests, write } = openStorage(':memory:')
  const rows = Array.from({ length: count }, (_, n) => request(n))
  await write(() => requests.append([...rows, request(0, { endpointId: 'other', status: undefined, error: 'gone' })]))
  const paths = () => {
    const all = { endpointId: 'web', statusFrom: 0, statusTo: 999, before: Number.MAX_SAFE_INTEGER, limit: 100 }
    return requests.list(all).map(({ path }) => path)
  }
  return { requests, write, paths }
}

it('keeps the newest requests of an endpoint, and those of others', async () => {
  const { requests, write, paths } = await setup(5)
  await write(() => requests.trimEndpoint({ endpointId: 'web', keep: 2 }))
  expect(paths()).toEqual(['/4', '/3'])
  expect(requests.after('other', 0, 9)).toMatchObject([{ error: 'gone' }])
  expect(requests.after('other', 0, 9)[0]).not.toHaveProperty('status')
})

it('lets old requests go, so many at a time', async () => {
  const { requests, write, paths } = await setup(5)
  expect(await write(() => requests.trim(3, 2))).toBe(2)
  expect(await write(() => requests.trim(3, 99))).toBe(2)
  expect(paths()).toEqual(['/4', '/3'])
})
