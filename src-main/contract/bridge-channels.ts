/** Names used by the desktop bridge; separate from its schemas, which the preload must not load. */

export const BRIDGE = 'drydockDesktop'

export const NOTICE_CHANNEL = 'drydock:notice'

export const BRIDGE_CALL_NAMES = ['facts', 'pickFile', 'pickFolder', 'revealFile', 'signIn'] as const

export type BridgeCall = (typeof BRIDGE_CALL_NAMES)[number]

export function channelOf(call: BridgeCall): string {
  return `drydock:${call}`
}
