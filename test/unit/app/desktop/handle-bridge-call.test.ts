import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type BridgeHandlers,
  handleBridgeCall,
  mayReveal,
  revealFile,
  type Sender,
} from '../../../../src-main/app/desktop/page-guard.ts'
import { BRIDGE_CALLS } from '../../../../src-main/contract/bridge.ts'
import { BRIDGE_CALL_NAMES, type BridgeCall } from '../../../../src-main/contract/bridge-channels.ts'

const ORIGIN = 'http://127.0.0.1:8790'
const PAGE: Sender = { address: `${ORIGIN}/apps`, isWindow: true }

function setup() {
  const asked: unknown[] = []
  const note =
    <Answer>(answer: Answer) =>
    async (argument: unknown) => {
      asked.push(argument)
      return answer
    }
  const handlers: BridgeHandlers = {
    facts: note({ version: '1.2.3', platform: 'linux' }),
    pickFile: note<string | undefined>('/home/ada/handler.py'),
    pickFolder: note<string | undefined>('/home/ada/app'),
    revealFile: note(true),
    signIn: note(true),
  }
  const call = (
    name: BridgeCall,
    argument: unknown,
    { sender, origin }: { sender: Sender; origin: string | undefined } = { sender: PAGE, origin: ORIGIN },
  ) => handleBridgeCall(name, argument, { sender, origin, handlers })
  return { call, asked }
}

describe('a bridge call', () => {
  test('from a page of the service succeeds', async () => {
    const { call, asked } = setup()
    expect(await call('facts', undefined)).toEqual({ version: '1.2.3', platform: 'linux' })
    expect(await call('pickFolder', { title: 'Choose an app', from: '/home' })).toBe('/home/ada/app')
    expect(await call('revealFile', { path: '/tmp/a' })).toBe(true)
    expect(asked).toEqual([undefined, { title: 'Choose an app', from: '/home' }, { path: '/tmp/a' }])
  })

  test.each<readonly [string, Sender, string | undefined]>([
    ['another origin', { address: 'https://example.com/', isWindow: true }, ORIGIN],
    ['another port', { address: 'http://127.0.0.1:8791/', isWindow: true }, ORIGIN],
    ['a worker of the service', { address: `${ORIGIN}/lb/hello/page`, isWindow: true }, ORIGIN],
    ['a file', { address: 'file:///tmp/page.html', isWindow: true }, ORIGIN],
    ['an empty page', { address: 'about:blank', isWindow: true }, ORIGIN],
    ['a subframe', { address: `${ORIGIN}/`, isWindow: false }, ORIGIN],
    ['a frame that no longer exists', { address: undefined, isWindow: true }, ORIGIN],
    ['a page while no service is up', PAGE, undefined],
  ])('from %s is refused and has no effect', async (_from, sender, origin) => {
    const { call, asked } = setup()
    for (const name of BRIDGE_CALL_NAMES)
      await expect(call(name, undefined, { sender, origin })).rejects.toThrow('did not come from a page of the service')
    expect(asked).toEqual([])
  })

  test('with an invalid argument is refused and has no effect', async () => {
    const { call, asked } = setup()
    for (const argument of [undefined, null, 1, 'x', [], {}, { path: '' }, { path: 'a', more: 1 }, { title: 5 }]) {
      await expect(call('pickFolder', argument)).rejects.toThrow('is invalid')
      await expect(call('revealFile', argument)).rejects.toThrow('is invalid')
    }
    await expect(call('revealFile', { path: 'a'.repeat(4097) })).rejects.toThrow('is invalid')
    await expect(call('facts', {})).rejects.toThrow('is invalid')
    expect(asked).toEqual([])
  })

  test('passes only valid arguments to its handler', async () => {
    const { call, asked } = setup()
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...BRIDGE_CALL_NAMES), fc.anything(), async (name, argument) => {
        const before = asked.length
        await call(name, argument).catch(() => undefined)
        if (asked.length > before) expect(BRIDGE_CALLS[name].argument.safeParse(asked.at(-1)).success).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a file revealed in the file manager', () => {
  test('must be on this machine', () => {
    expect(['/tmp/a', 'tmp/a', '', '/tmp/\0'].map((path) => mayReveal(path, 'linux'))).toEqual([
      true,
      false,
      false,
      false,
    ])
    const windows = ['C:\\a', 'c:/a', '\\\\host\\share\\a', '//host/share', '\\\\?\\C:\\a', 'C:a', '\\a']
    expect(windows.filter((path) => mayReveal(path, 'win32'))).toEqual(['C:\\a', 'c:/a'])
  })

  test('must exist', () => {
    const shown: string[] = []
    const show = (path: string) => void shown.push(path)
    expect(revealFile('/no/such/file', show, 'linux')).toBe(false)
    expect(revealFile(import.meta.filename, show, 'linux')).toBe(true)
    expect(shown).toEqual([import.meta.filename])
  })
})
