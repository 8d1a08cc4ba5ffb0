import { open } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { CliError, unreadable } from '../../../../app/cli/cli-error.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import { limit } from '../../../../contract/limits.ts'
import { isArray, type JsonObject, writeJson } from '../../../../lib/json/value.ts'
import { mediaTypeOf } from '../../../../lib/media.ts'
import { sizeText } from '../../../../lib/text.ts'
import { fileTools } from '../../../../shipped-files/resources.ts'
import { readDocument } from '../../rules/document/document.ts'
import { findGraph } from '../../rules/metadata/find-graph.ts'
import type { NodeTypes } from '../../rules/node-types.ts'
import type { Problem } from '../../rules/problem.ts'
import { GRAPH_EXPORT_MARK, isGraphExport } from '../../rules/recognise.ts'
import { toResolvedPayload } from '../../rules/resolve/resolve.ts'
import { toDocument } from '../../rules/to-document.ts'
import { linksToNothing } from '../../rules/validate.ts'

export type GraphFile = {
  readonly name: string
  readonly folder: string
  readonly bytes: number
  readonly mediaType: string
  readonly form: 'document' | 'payload'
  readonly raw: JsonObject
}

export function titleOf({ name }: Pick<GraphFile, 'name'>): string {
  return name === '-' ? 'Untitled' : name.replace(/\.[^.]*$/, '')
}

/**
 * @param file path, or `-` for standard input
 * @throws CliError FILE_UNREADABLE, NOT_A_WORKFLOW
 */
export async function readGraphFile(file: string, { cwd, stdin }: Surroundings): Promise<GraphFile> {
  const path = resolve(cwd, file)
  const bytes = file === '-' ? await readStream(stdin) : await readWhole(path, MOST)
  const found = findGraph(bytes, fileTools)
  if (found.kind === 'none') {
    const message =
      found.parameters === undefined
        ? ''
        : ` It holds a prompt of another tool instead: ${found.parameters.slice(0, 200)}`
    throw new CliError('NOT_A_WORKFLOW', { file: file === '-' ? 'standard input' : file, why: found.why + message })
  }
  const name = file === '-' ? '-' : basename(path)
  const folder = file === '-' ? cwd : resolve(path, '..')
  return { name, folder, bytes: bytes.length, mediaType: mediaTypeOf(bytes), form: found.kind, raw: found.raw }
}

/**
 * Reads without validation.
 * @throws CliError FILE_UNREADABLE, also if too large
 */
export const readExportFile = (path: string): Promise<Uint8Array> => readWhole(path, limit('graphExportBytes'))

export async function isExportFile(path: string): Promise<boolean> {
  try {
    await using handle = await open(path)
    const length = GRAPH_EXPORT_MARK.length
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0)
    return isGraphExport(buffer.subarray(0, bytesRead).toString())
  } catch {
    return false
  }
}

const MOST = limit('assetBytes')

async function readWhole(path: string, most: number): Promise<Uint8Array> {
  try {
    await using file = await open(path)
    const { size } = await file.stat()
    if (size > most) throw tooLarge(path, sizeText(size), most)
    return await file.readFile()
  } catch (error) {
    if (error instanceof CliError) throw error
    throw unreadable(path, error)
  }
}

async function readStream(stream: Surroundings['stdin']): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of stream) {
    const part = Buffer.from(piece)
    bytes += part.length
    if (bytes > MOST) throw tooLarge('standard input', `more than ${sizeText(MOST)}`, MOST)
    pieces.push(part)
  }
  return Buffer.concat(pieces)
}

function tooLarge(file: string, size: string, most: number): CliError {
  return new CliError('FILE_UNREADABLE', { file, why: `it has ${size}, and the limit is ${sizeText(most)}` })
}

const INDENT = 2

type Converted = {
  readonly text: string
  readonly raw: JsonObject
  readonly nodes: number
  readonly problems: readonly Problem[]
}

/**
 * Leaves a graph that already has the form.
 * @param options.now ms since the epoch
 */
export function convertGraph(
  { form, raw }: Pick<GraphFile, 'form' | 'raw'>,
  to: 'api' | 'ui',
  types: NodeTypes,
  { now, isCompact }: { readonly now: number; readonly isCompact: boolean },
): Converted {
  const indent = isCompact ? 0 : INDENT
  if (to === 'api') {
    const { payload, problems } =
      form === 'payload'
        ? { payload: raw, problems: linksToNothing(raw) }
        : toResolvedPayload(readDocument(raw), types, now)
    return { text: writeJson(payload, indent), raw: payload, nodes: payload.size, problems }
  }
  const document = form === 'document' ? raw : toDocument(raw, types)
  const nodes = document.get('nodes')
  return { text: writeJson(document, indent), raw: document, nodes: isArray(nodes) ? nodes.length : 0, problems: [] }
}
