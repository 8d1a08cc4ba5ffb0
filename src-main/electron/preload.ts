/** The bridge of the window's pages: one function for each call of the contract, and its notices. Nothing else. */
import { contextBridge, ipcRenderer } from 'electron'
import type { DesktopBridge } from '../contract/bridge.ts'
import { BRIDGE, type BridgeCall, channelOf, NOTICE_CHANNEL } from '../contract/bridge-channels.ts'

// A function for each call and not one that takes a name, so that a page can reach no other channel.
const ask = (call: BridgeCall) => (argument: unknown) => ipcRenderer.invoke(channelOf(call), argument)

const bridge = {
  facts: ask('facts'),
  pickFile: ask('pickFile'),
  pickFolder: ask('pickFolder'),
  revealFile: ask('revealFile'),
  signIn: ask('signIn'),
  onNotice(listener) {
    // The event would give the page a way to Electron.
    const onNotice = (_event: unknown, notice: Parameters<typeof listener>[0]) => listener(notice)
    ipcRenderer.on(NOTICE_CHANNEL, onNotice)
    return () => void ipcRenderer.off(NOTICE_CHANNEL, onNotice)
  },
} satisfies DesktopBridge

contextBridge.exposeInMainWorld(BRIDGE, bridge)
