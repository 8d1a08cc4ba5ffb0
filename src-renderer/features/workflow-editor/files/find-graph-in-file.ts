/** The graph in a file from disk or from a drop: JSON of both forms, and whatever holds one. */
import { Unzlib } from 'fflate'
import { limit } from '../../../../src-main/contract/limits.ts'
import { writeJson } from '../../../../src-main/domain/workflow/json/write.ts'
import { type ByteTools, joined } from '../../../../src-main/domain/workflow/metadata/bytes.ts'
import { findGraph } from '../../../../src-main/domain/workflow/metadata/find-graph.ts'
import { bytes as inBytes } from '../../../ui/format.ts'
import { workflowName } from './workflow-name.ts'

/** What was found. `isImage`: it is a picture without a graph, which a node could load. */
export type FileGraph =
  | { readonly kind: 'graph'; readonly name: string; readonly text: string }
  | { readonly kind: 'none'; readonly why: string; readonly isImage: boolean }

// Films with a graph are larger than what the library takes as a text, and all of a file is read.
const FILE_MAX_BYTES = 256 * 1024 * 1024
const PIECE_BYTES = 64 * 1024

const decoder = new TextDecoder()

/** What domain needs of the browser to read files. */
export const BROWSER_TOOLS: ByteTools = {
  utf8: (bytes) => decoder.decode(bytes),
  inflate(packed, most) {
    const parts: Uint8Array[] = []
    let size = 0
    let isWhole = false
    const unpacker = new Unzlib((part, isLast) => {
      parts.push(part)
      size += part.length
      isWhole ||= isLast
    })
    try {
      // Piece by piece, so that a bomb ends soon after it is too large.
      for (let at = 0; at < packed.length && size <= most; at += PIECE_BYTES)
        unpacker.push(packed.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= packed.length)
    } catch {
      return undefined // Damaged: the library throws its own error.
    }
    return isWhole && size <= most ? joined(parts) : undefined
  },
}

/** Looks for a graph in a file. Nothing is thrown for what is in it. */
export async function findGraphInFile(file: File): Promise<FileGraph> {
  const isImage = /^image\/(?!svg)/.test(file.type)
  const none = (why: string) => ({ kind: 'none', why: `${file.name}: ${why}`, isImage }) as const
  if (file.size === 0) return none('The file is empty.')
  const most = /json$/i.test(file.name + file.type) ? limit('workflowBytes') : FILE_MAX_BYTES
  if (file.size > most) return none(`It has ${inBytes(file.size)}. Files up to ${inBytes(most)} can be opened.`)
  const bytes = new Uint8Array(await file.arrayBuffer())
  const found = findGraph(bytes, BROWSER_TOOLS)
  if (found.kind === 'none') {
    const hint = found.parameters === undefined ? '' : ' It has a description of another tool, but no graph.'
    return none(`${found.why}${hint}`)
  }
  const name = workflowName(file.name.replace(/\.[A-Za-z0-9]{1,12}$/, '')) || 'Untitled'
  return { kind: 'graph', name, text: isJson(bytes) ? BROWSER_TOOLS.utf8(bytes) : writeJson(found.raw) }
}

// A graph from JSON is kept letter by letter.
const isJson = (bytes: Uint8Array) => BROWSER_TOOLS.utf8(bytes.subarray(0, 1000)).trimStart().startsWith('{')
