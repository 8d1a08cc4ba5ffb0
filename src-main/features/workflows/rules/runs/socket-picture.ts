/** Results that a node sends over the socket and saves nowhere. Source: ComfyUI, `SaveImageWebsocket`. */
const NAME = /^websocket_.*_\d+\.(?:png|jpg)$/

/** @param at from 1 */
export const socketPictureName = (node: string, at: number, extension: string): string =>
  `websocket_${node.replace(/[^\w.-]/g, '_')}_${String(at).padStart(5, '0')}.${extension}`

export const isSocketPicture = (filename: string): boolean => NAME.test(filename)
