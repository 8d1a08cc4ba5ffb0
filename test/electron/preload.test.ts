import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DesktopBridge, DesktopNotice } from '../../src-main/contract/bridge.ts'
import { BRIDGE, BRIDGE_CALL_NAMES } from '../../src-main/contract/bridge-channels.ts'

const PRELOAD = readFileSync(join(import.meta.dirname, '..', '..', 'out', 'shell', 'preload.cjs'), 'utf8')

/** Runs the built preload as in a sandbox: `require` can load only Electron. */
function loaded() {
  const exposed: Record<string, DesktopBridge> = {}
  const invoked: unknown[][] = []
  const listeners = new Map<string, (...args: unknown[]) => void>()
  const electron = {
    contextBridge: {
      exposeInMainWorld: (name: string, value: DesktopBridge) => Object.assign(exposed, { [name]: value }),
    },
    ipcRenderer: {
      invoke: async (...args: unknown[]) => void invoked.push(args),
      on: (channel: string, listener: (...args: unknown[]) => void) => void listeners.set(channel, listener),
      off: (channel: string) => void listeners.delete(channel),
    },
  }
  const required: string[] = []
  const require = (name: string) => {
    required.push(name)
    if (name !== 'electron') throw new Error(`a sandboxed preload cannot load ${name}`)
    return electron
  }
  new Function('require', PRELOAD)(require)
  return { exposed, bridge: exposed[BRIDGE] as DesktopBridge, invoked, listeners, required }
}

test('the preload exposes the bridge of the contract and nothing else', () => {
  const { exposed, bridge, required } = loaded()
  expect(Object.keys(exposed)).toEqual([BRIDGE])
  expect(Object.keys(bridge).sort()).toEqual([...BRIDGE_CALL_NAMES, 'onNotice'].sort())
  expect(new Set(required)).toEqual(new Set(['electron']))
})

test('each function uses one channel and passes one argument', async () => {
  const { bridge, invoked } = loaded()
  await bridge.facts(undefined)
  await (bridge.pickFolder as (...args: unknown[]) => Promise<unknown>)({ title: 'a' }, 'more')
  await bridge.revealFile({ path: '/a' })
  await bridge.signIn(undefined)
  expect(invoked).toEqual([
    ['drydock:facts', undefined],
    ['drydock:pickFolder', { title: 'a' }],
    ['drydock:revealFile', { path: '/a' }],
    ['drydock:signIn', undefined],
  ])
})

test('a notice arrives without the Electron event, until the page stops listening', () => {
  const { bridge, listeners } = loaded()
  const heard: unknown[][] = []
  const end = bridge.onNotice((...args: DesktopNotice[]) => void heard.push(args))
  listeners.get('drydock:notice')?.({ sender: 'electron' }, { kind: 'service-restarted' })
  expect(heard).toEqual([[{ kind: 'service-restarted' }]])
  end()
  expect(listeners.size).toBe(0)
})
