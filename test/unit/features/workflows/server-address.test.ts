import { describe, expect, test } from 'vitest'
import {
  isSameServer,
  serverOfEntry,
  serverText,
  withHiddenPassword,
  withoutCredentials,
  withServer,
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
