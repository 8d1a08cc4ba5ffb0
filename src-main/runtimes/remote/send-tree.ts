import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type ManifestLines, manifestChanges } from '../../features/machines/rules/file-tree.ts'
import { errorCode } from '../../lib/error-code.ts'
import { sizeText } from '../../lib/text.ts'
import { MIB } from '../../lib/units.ts'
import type { Watch } from '../port.ts'
import { ConnectionBroken, type Conversation } from './conversation.ts'
import type { FolderContent } from './read-folder.ts'

export type KnownTree = { readonly tree: string; readonly lines: ManifestLines }

export type TreeToSend = KnownTree & {
  readonly owner: string
  readonly content: FolderContent
  readonly base: KnownTree | undefined
}

export class FileChanged extends Error {}

const PIECE_BYTES = MIB
const WHOLE_BYTES = MIB

/**
 * Sends a tree, complete when resolved.
 * @param watch reports progress with the machine's name
 * @returns content bytes sent
 * @throws FileChanged if a file no longer matches the tree
 */
export async function sendTree(
  talk: Conversation,
  tree: TreeToSend,
  watch: Watch & { readonly machine: string },
): Promise<number> {
  const sizes = new Map(
    tree.content.entries.flatMap((entry) => ('sha256' in entry ? [[entry.sha256, entry.size]] : [])),
  )
  const missing = Object.entries(await begin(talk, tree)).map(([sha256, from]) => ({
    sha256,
    path: tree.content.files.get(sha256) ?? '',
    from,
    bytes: (sizes.get(sha256) ?? 0) - from,
  }))
  const allBytes = missing.reduce((sum, { bytes }) => sum + bytes, 0)
  const progress = createProgress(allBytes, watch)
  for (const { sha256, ...content } of missing) {
    watch.signal.throwIfAborted()
    if (content.from + content.bytes <= WHOLE_BYTES) {
      await talk.say({ blob: sha256 }, await readRest(content))
      progress(content.bytes)
    } else {
      await talk.say({ blob: sha256 }, content.bytes)
      for await (const piece of piecesOf(content)) {
        watch.signal.throwIfAborted()
        await talk.sayBytes(piece)
        progress(piece.length)
      }
    }
  }
  await talk.say({ end: true })
  await talk.hear()
  return allBytes
}

async function begin(
  talk: Conversation,
  { tree, owner, lines, base }: TreeToSend,
): Promise<Readonly<Record<string, number>>> {
  // After a restart the owner's tree is unknown, but may be complete.
  for (const known of [base ?? { tree, lines }, undefined]) {
    const { added, removed } = manifestChanges(lines, known?.lines)
    const text = Buffer.from(added)
    await talk.say({ begin: tree, owner, base: known?.tree, removed }, text)
    const { missing } = await talk.hear()
    if (missing !== undefined) return missing
  }
  throw new ConnectionBroken('it does not know what it was told')
}

type Rest = { readonly path: string; readonly from: number; readonly bytes: number }

async function readRest({ path, from, bytes }: Rest): Promise<Uint8Array> {
  const content = await readFile(path).catch((error) => Promise.reject(whyNotRead(path, error)))
  if (content.length !== from + bytes) throw new FileChanged(path)
  return content.subarray(from)
}

async function* piecesOf({ path, from, bytes }: Rest): AsyncGenerator<Buffer> {
  let left = bytes
  try {
    for await (const piece of createReadStream(path, {
      start: from,
      end: from + bytes - 1,
      highWaterMark: PIECE_BYTES,
    })) {
      left -= piece.length
      yield piece
    }
  } catch (error) {
    throw whyNotRead(path, error)
  }
  if (left > 0) throw new FileChanged(path)
}

function whyNotRead(path: string, error: unknown): Error {
  if (errorCode(error) === 'ENOENT') return new FileChanged(path)
  return new Error(`${path} could not be read: ${(error as Error).message}`, { cause: error })
}

function createProgress(allBytes: number, { machine, report }: Watch & { readonly machine: string }) {
  let sent = 0
  let told = -1
  return (bytes: number) => {
    sent += bytes
    if (allBytes === 0) return
    const percent = Math.floor((100 * sent) / allBytes)
    if (percent === told) return
    told = percent
    report(`sending files to ${machine}: ${percent} %, ${sizeText(sent)} of ${sizeText(allBytes)}`)
  }
}
