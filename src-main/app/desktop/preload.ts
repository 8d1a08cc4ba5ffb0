import { contextBridge, ipcRenderer } from 'electron'
import type { DesktopBridge } from '../../contract/bridge.ts'
import { BRIDGE, type BridgeCall, channelOf, NOTICE_CHANNEL } from '../../contract/bridge-channels.ts'

// Each call has its own function so that pages cannot reach other channels.
const ask = (call: BridgeCall) => (argument: unknown) => ipcRenderer.invoke(channelOf(call), argument)

const bridge = {
  facts: ask('facts'),
  pickFile: ask('pickFile'),
  pickFolder: ask('pickFolder'),
  revealFile: ask('revealFile'),
  signIn: ask('signIn'),
  onNotice(listener) {
    // Drops the event, which would give pages access to Electron.
    const onNotice = (_event: unknown, notice: Parameters<typeof listener>[0]) => listener(notice)
    ipcRenderer.on(NOTICE_CHANNEL, onNotice)
    return () => void ipcRenderer.off(NOTICE_CHANNEL, onNotice)
  },
} satisfies DesktopBridge

contextBridge.exposeInMainWorld(BRIDGE, bridge)
