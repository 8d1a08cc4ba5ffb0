import { describe, expect, test } from 'vitest'
import {
  isSameServer,
  type ServerChange,
  serverOfEntry,
  serversProblem,
  serverText,
  withHiddenPassword,
  withoutCredentials,
  withServer,
  withServerChange,
} from '../../../../src-main/features/workflows/rules/server-address.ts'

describe('an address of a server', () => {
  test.each([
    ['http://127.0.0.1:8188', 'http://127.0.0.1:8188', 'http://127.0.0.1:8188'],
    ['https://ann@host/comfy', 'https://ann@host/comfy', 'https://host/comfy'],
    ['http://ann:secret@host:8188/', 'http://ann:***@host:8188/', 'http://host:8188/'],
    ['http://ann:p@ss:w@host', 'http://ann:***@host', 'http://host'],
    ['HTTP://:secret@host', 'HTTP://:***@host', 'HTTP://host'],
    ['http://host/a@b:c', 'http://host/a@b:c', 'http://host/a@b:c'],
    ['nonsense', 'nonsense', 'nonsense'],
  ])('%s is told without its password', (address, hidden, bare) => {
    expect([withHiddenPassword(address), withoutCredentials(address)]).toEqual([hidden, bare])
  })

  test('is called by host, port and path', () => {
    expect(serverText('http://ann:secret@127.0.0.1:8188/?x#y')).toBe('127.0.0.1:8188')
    expect(serverText('https://host/comfy/')).toBe('host/comfy')
  })

  test.each([
    ['http://127.0.0.1:8188', 'http://localhost:8188/', true],
    ['http://[::1]:8188', 'http://ann:secret@LOCALHOST:8188', true],
    ['http://host', 'http://host:80', true],
    ['https://host', 'http://host', false],
    ['http://127.0.0.1:8188', 'http://127.0.0.1:8000', false],
    ['http://host/a', 'http://host/b', false],
    ['', 'http://127.0.0.1:8188', false],
  ])('%s and %s lead to one server: %s', (one, other, same) => {
    expect(isSameServer(one, other)).toBe(same)
  })

  test('of an entry of the catalog is replaced, and the rest of its settings stays', () => {
    const settings = { workersMax: 1, workflows: { checkModels: false, server: 'http://a' } }
    expect(serverOfEntry(settings)).toBe('http://a')
    expect(withServer(settings, 'http://b')).toEqual({
      ...settings,
      workflows: { checkModels: false, server: 'http://b' },
    })
    expect([serverOfEntry({}), serverOfEntry({ workflows: {} })]).toEqual([undefined, undefined])
  })
})

describe('several servers', () => {
  const [A, B, C] = ['http://a:1', 'http://ann:secret@b:1', 'http://c:1']
  const BOTH = { server: A, moreServers: [B], drainedServers: [B], checkModels: true }

  test.each([
    ['add', C, { moreServers: [B, C] }],
    ['remove', A, { server: B, moreServers: [] }],
    ['remove', 'http://b:1', { moreServers: [], drainedServers: [] }],
    ['drain', A, { drainedServers: [B, A] }],
    ['drain', 'http://b:1/', { drainedServers: [B] }],
    ['resume', 'http://ann:***@b:1', { drainedServers: [] }],
  ] as const)('after a change: %s %s', (kind, address, changes) => {
    expect(withServerChange(BOTH, { kind, address })).toEqual({ ...BOTH, ...changes })
  })

  test.each(['remove', 'drain', 'resume'] as const)('%s needs one of them', (kind: ServerChange['kind']) => {
    expect(withServerChange(BOTH, { kind, address: C })).toBe(undefined)
  })

  test.each([
    [undefined, undefined],
    [BOTH, undefined],
    [{ moreServers: [B] }, /require a first one/],
    [{ server: A, moreServers: ['http://A:1/'] }, /^A:1 is listed twice$/],
    [{ server: A, drainedServers: [B] }, /^b:1 is listed as drained/],
    [{ server: A, moreServers: Array.from({ length: 32 }, (_, at) => `http://x${at}`) }, /at most 32/],
  ])('that cannot be named together are told: %j', (workflows, why) => {
    if (why === undefined) expect(serversProblem(workflows)).toBe(undefined)
    else expect(serversProblem(workflows)).toMatch(why)
  })
})
