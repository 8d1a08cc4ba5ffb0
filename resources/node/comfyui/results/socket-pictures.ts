/** Pictures that nodes send over the socket instead of saving them. Source: ComfyUI, `SaveImageWebsocket`. */
import { readPayloadNode } from '../../../../src-main/features/workflows/rules/payload.ts'
import { socketPictureName } from '../../../../src-main/features/workflows/rules/runs/socket-picture.ts'
import { isObject, type JsonValue } from '../../../../src-main/lib/json/value.ts'
import { extensionOf } from '../../../../src-main/lib/media.ts'
import type { Preview } from '../progress/server-message.ts'
import type { ListedResult } from './list-results.ts'

// The server does not mark them: they look like previews. `ETN_SendImageWebSocket` is that of Krita's nodes.
const SENDING_CLASS = /web_?socket/i

export type SocketPictures = ReturnType<typeof createSocketPictures>

export function createSocketPictures(workflow: JsonValue, maxBytes: number) {
  const sent = new Map<string, ListedResult[]>()
  const faults: string[] = []
  let left = maxBytes
  if (isObject(workflow))
    for (const [id, node] of workflow)
      if (SENDING_CLASS.test(readPayloadNode(id, node)?.classType ?? '')) sent.set(id, [])
  return {
    take(node: string, { type, picture }: Preview): boolean {
      const pictures = sent.get(node)
      if (pictures === undefined) return false
      const filename = socketPictureName(node, pictures.length + 1, extensionOf(type))
      left -= picture.length
      if (left >= 0) pictures.push({ kind: 'sent', node, filename, bytes: picture })
      else if (faults.length === 0) faults.push(`${filename} and those after it do not fit into the job's result.`)
      return true
    },
    results: (): readonly ListedResult[] => [...sent.values()].flat(),
    faults: (): readonly string[] => [
      ...faults,
      ...[...sent].flatMap(([node, pictures]) =>
        pictures.length > 0 || faults.length > 0
          ? []
          : [`Node ${node} sends its pictures over the WebSocket, but none arrived. Run the job again.`],
      ),
    ],
  }
}
