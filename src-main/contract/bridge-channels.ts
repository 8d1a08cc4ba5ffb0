/** Names that the bridge to the desktop goes by; apart from its schemas, which the preload does without. */

/** Name of the bridge on the window of a page. */
export const BRIDGE = 'drydockDesktop'

/** Channel on which the desktop tells its notices. */
export const NOTICE_CHANNEL = 'drydock:notice'

/** Calls of pages. */
export const BRIDGE_CALL_NAMES = ['facts', 'pickFile', 'pickFolder', 'revealFile', 'signIn'] as const

/** Name of a call. */
export type BridgeCall = (typeof BRIDGE_CALL_NAMES)[number]

/** Channel of a call. */
export function channelOf(call: BridgeCall): string {
  return `drydock:${call}`
}
