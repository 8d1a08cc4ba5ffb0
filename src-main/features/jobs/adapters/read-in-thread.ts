/** Reads large bodies, results and files in a thread; for small ones the transfer would take longer. */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { isMainThread } from 'node:worker_threads'
import { limit } from '../../../contract/limits.ts'
import { type Bytes, bodyText, foldedText, withoutMark } from '../../../http/body-text.ts'
import type { Json } from '../../../lib/json/bytes.ts'
import { strictJson } from '../../../lib/json/parse.ts'
import { plainJson } from '../../../lib/json/plain.ts'
import { scanJson } from '../../../lib/json/scan.ts'
import { jsonText } from '../../../lib/json/text.ts'
import { writeJson } from '../../../lib/json/value.ts'
import { mediaTypeOf } from '../../../lib/media.ts'
import {
  isOpaque,
  type Pixels,
  readPixels,
  withAlphaOf,
  withoutAlpha,
  writeJpeg,
  writePng,
} from '../../../lib/node/pixels.ts'
import { answerIn, createThread } from '../../../lib/node/thread.ts'
import { sizeText } from '../../../lib/text.ts'
import { MIB } from '../../../lib/units.ts'
import { checkPrompt } from '../../comfyui-api/rules/check-prompt.ts'
import type { Problem } from '../../comparisons/rules/plan.ts'
import { factsOfHead } from '../../models/rules/recognise-model.ts'
import { systemPackagesIn } from '../../platform-api/rules/system-packages.ts'
import { readClassesFile, typesIn } from '../../workflows/rules/classes-file.ts'
import { classesAndModels, mergeClasses } from '../../workflows/rules/merge-classes.ts'
import { readPngTexts, writeGraphIntoPng } from '../../workflows/rules/metadata/png.ts'
import type { NodeTypes } from '../../workflows/rules/node-types.ts'
import { withoutAccountKeys } from '../../workflows/rules/runs/account-keys.ts'
import { findPreviews, findResults, isBase64 } from '../../workflows/rules/runs/find-results.ts'
import { readGraphExport } from '../../workflows/rules/runs/graph-export.ts'
import { modelNamesIn } from '../../workflows/rules/runs/graph-models.ts'
import { libraryText } from '../../workflows/rules/runs/library-text.ts'
import { publishProblem } from '../../workflows/rules/runs/publish-problem.ts'
import { runGraph } from '../../workflows/rules/runs/run-graph.ts'
import { filledGraph, graphInInput } from '../../workflows/rules/runs/sent-graph.ts'
import type { GraphOfPicture, Readers, ReadInThread } from '../ports/read-in-thread.ts'
import { writeJobFile } from '../rules/job-file.ts'
import { readOpenAiAnswer } from '../rules/openai-error.ts'
import { itemsOf } from '../rules/read-items.ts'
import { readObject, withoutLargeFields } from '../rules/read-object.ts'
import { readReport } from '../rules/report.ts'
import { readChunk } from '../rules/stream.ts'

const READERS: Readers = {
  object(body, maxValues) {
    const bytes = bufferOf(body)
    const folded = foldedText(bytes)
    const isPassedOn = maxValues === undefined
    const read = readObject(isPassedOn ? folded : { ...folded, text: bytes.toString() }, maxValues)
    if ('code' in read) return read
    const parts = [...read.scan.fields].map(([name, { start, end }]): [string, Json] => [name, folded.cut(start, end)])
    return { value: isPassedOn ? withoutLargeFields(read) : read.value, fields: new Map(parts) }
  },
  items(body, field) {
    const bytes = withoutMark(bufferOf(body))
    if (!isUtf8(bytes)) return { problem: 'must be UTF-8' }
    const read = itemsOf(bytes.toString(), field)
    return 'problem' in read ? read : { items: read.items.map((item) => ownBytes(Buffer.from(item))) }
  },
  value(json) {
    const scan = scanJson(json, { maxKeys: limit('jsonKeys'), maxDepth: limit('jsonDepth') })
    if (scan === 'too-deep') return { problem: 'it is nested too deeply' }
    if (scan === 'too-many-keys' || scan.values > limit('jsonValues'))
      return { problem: `it holds more than ${limit('jsonValues')} values` }
    const value = plainJson(json)
    return value === undefined ? { problem: 'it is not valid JSON' } : { value }
  },
  report(body) {
    const bytes = bufferOf(body)
    return readReport(isUtf8(bytes) ? foldedText(bytes) : bodyText(bytes))
  },
  graphInInput: (input, installed) => graphInInput(jsonText(input), installed),
  accountKeys: (input) => ({ withoutKeys: withoutAccountKeys(jsonText(input)) }),
  filledGraph: (given, graph, installed) => filledGraph(jsonText(given), graph, installed),
  runGraph: (text, asked, types) => runGraph(text, asked, typesOf(types)),
  prompt: (text, asked, types) => checkPrompt(text, asked, typesOf(types)),
  publishProblem,
  libraryText(text, types) {
    const read = libraryText(text, types === undefined ? undefined : typesIn(types))
    return 'text' in read ? { ...read, text: jsonBytes(read.text) } : read
  },
  classes(text) {
    const read = readClassesFile(text)
    if (typeof read === 'string') return { problem: read }
    const { version, classes } = read
    return { version, text: version === undefined ? undefined : writeJson(classes) }
  },
  serverClasses(texts, kept) {
    const read = texts.map(readClassesFile)
    const all = [...read, ...(kept === undefined ? [] : [readClassesFile(kept)])]
    const merged = mergeClasses(all.flatMap((one) => (typeof one === 'string' ? [] : [one.classes])))
    const servers = read.map((one) => (typeof one === 'string' ? { problem: one } : classesAndModels(one.classes)))
    return { text: writeJson(merged), servers }
  },
  classTexts(text) {
    const read = readClassesFile(text)
    if (typeof read === 'string') return { problem: read }
    return { texts: [...read.classes].map(([name, type]) => [name, writeJson(type)] as const) }
  },
  modelNames: (graph) => modelNamesIn(JSON.parse(strictJson(graph))),
  modelHead: factsOfHead,
  graphExport(file) {
    const opened = readGraphExport(bufferOf(file).toString())
    if ('why' in opened) return { problem: opened.why }
    const files = opened.files.map(({ base64, ...one }) => ({ ...one, data: ownBytes(Buffer.from(base64, 'base64')) }))
    const damaged = files.find(({ data, sha256 }) => createHash('sha256').update(data).digest('hex') !== sha256)
    return damaged === undefined ? { ...opened, files } : { problem: `its file ${damaged.name} is damaged` }
  },
  jobFile: (line, head, hidden) => ({ text: writeJobFile(head, line, hidden) }),
  systemPackages: (input) => systemPackagesIn(jsonText(input)),
  chunk(body) {
    const read = readChunk(bodyText(bufferOf(body)).text, limit('chunkBytes'))
    return 'problem' in read ? read : { pieces: read.pieces.map(jsonBytes) }
  },
  openAi: (given, from) => readOpenAiAnswer(jsonText(given), from),
  results(json) {
    const output: unknown = JSON.parse(jsonText(json))
    return { ...findResults(output), previews: findPreviews(output) }
  },
  picture(bytes, form) {
    const pixels = pixelsOf(bytes)
    if (form.kind === 'rgb') return { type: 'image/png', bytes: writePng(withoutAlpha(pixels)) }
    if (form.kind === 'a') {
      const black = { ...pixels, data: new Uint8Array(pixels.data.length) }
      return { type: 'image/png', bytes: writePng(withAlphaOf(black, pixels.data)) }
    }
    if (form.isOpaque || isOpaque(pixels)) return { type: 'image/jpeg', bytes: writeJpeg(pixels, form.quality) }
    return { type: 'image/png', bytes: writePng(pixels) }
  },
  maskedPicture(original, mask) {
    const [colours, alpha] = [pixelsOf(original), pixelsOf(mask)]
    if (colours.width !== alpha.width || colours.height !== alpha.height)
      return { problem: 'its mask has another size' }
    const png = writePng(withAlphaOf(colours, alpha.data))
    const texts = readPngTexts(original, TOOLS).filter(({ keyword }) => keyword === 'prompt' || keyword === 'workflow')
    const graph = Object.fromEntries(texts.map(({ keyword, text }) => [keyword, text]))
    return ownBytes(Buffer.from(writeGraphIntoPng(png, graph, Buffer.from) ?? png))
  },
  resultFile(content, made) {
    if (content.kind === 'address') return { problem: 'it is an address' }
    if (content.kind === 'base64' && !isBase64(content.data))
      return { problem: 'its data is not base64, or is incomplete' }
    const bytes = ownBytes(content.kind === 'text' ? Buffer.from(content.text) : Buffer.from(content.data, 'base64'))
    if (bytes.length > limit('assetBytes'))
      return { problem: `it has ${sizeText(bytes.length)}, and the limit is ${sizeText(limit('assetBytes'))}` }
    return made === undefined ? bytes : withGraph(bytes, made)
  },
}

let last: { readonly json: string; readonly types: NodeTypes } | undefined

// Graphs of one endpoint come in series, and reading its classes takes longer than reading a graph.
function typesOf(json: string): NodeTypes {
  if (last?.json !== json) last = { json, types: typesIn(json) }
  return last.types
}

function pixelsOf(bytes: Uint8Array): Pixels {
  const pixels = readPixels(bytes, mediaTypeOf(bytes))
  if (pixels === undefined) throw new Error('it is not a PNG or JPEG, or it is too large')
  return pixels
}

// Small buffers share a pool, which would be transferred with them.
const ownBytes = (bytes: Bytes): Uint8Array<ArrayBuffer> =>
  bytes.length > Buffer.poolSize ? bytes : Uint8Array.from(bytes)

// Transferring and storing bytes takes less than half the time of strings.
const jsonBytes = (json: Json) => ownBytes(Buffer.from(jsonText(json)))

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Bytes =>
  Buffer.from(buffer, byteOffset, byteLength)

// Source: ours, twice the largest graph seen. Larger ones in 500 pictures would be gigabytes.
const GRAPH_LENGTH_MAX = 4 * MIB
// Plain text only, since compressed data may expand without limit.
const TOOLS = { utf8: (bytes: Uint8Array) => new TextDecoder().decode(bytes), inflate: () => new Uint8Array() }

/** Adds the graph to a PNG as the field's tools do; existing texts stay. */
function withGraph(bytes: Uint8Array, { payload, document }: GraphOfPicture): Uint8Array {
  if (payload.length + (document?.length ?? 0) > GRAPH_LENGTH_MAX) return bytes
  const has = new Set(readPngTexts(bytes, TOOLS).map(({ keyword }) => keyword.toLowerCase()))
  const texts = {
    ...(has.has('prompt') ? {} : { prompt: payload }),
    ...(has.has('workflow') || document === undefined ? {} : { workflow: document }),
  }
  return Object.keys(texts).length === 0 ? bytes : (writeGraphIntoPng(bytes, texts, Buffer.from) ?? bytes)
}

type Told = { readonly name: keyof Readers; readonly given: readonly unknown[] }
type Answer = ReturnType<Readers[keyof Readers]>

function read({ name, given }: Told): Answer | Problem {
  try {
    // Name and arguments belong together, which the compiler cannot see through a message.
    return (READERS[name] as (...all: readonly unknown[]) => Answer)(...given)
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

// Thread memory, MiB: twenty times the largest body, which empty lists need.
const MEMORY_MIB = 1024

/** A thread starts with the first large item and ends after an idle period. */
export function createReadInThread(): { readonly readInThread: ReadInThread; readonly stop: () => Promise<void> } {
  const start = (timeMs: number) =>
    createThread<Told, Answer | Problem>(new URL(import.meta.url), {
      timeMs,
      memoryMib: MEMORY_MIB,
      idleMs: limit('readInThreadIdleMs'),
    })
  const [usual, pictures] = [start(limit('readInThreadMs')), start(limit('pictureMs'))]
  const readInThread = async (name: keyof Readers, ...given: readonly unknown[]): Promise<Answer | Problem> => {
    const isPicture = OF_PICTURES.has(name)
    const isSmall = given.every((one) => sizeOf(one) <= (SMALL_BYTES[name] ?? limit('payloadInRowBytes')))
    if (isSmall && !isPicture) return read({ name, given })
    return (isPicture ? pictures : usual).ask({ name, given }, transferredOf(name, given))
  }
  return {
    readInThread: readInThread as ReadInThread,
    async stop() {
      await Promise.all([usual.stop(), pictures.stop()])
    },
  }
}

// Results of jobs must not wait for large pictures, which small files may contain.
const OF_PICTURES: ReadonlySet<keyof Readers> = new Set(['picture', 'maskedPicture'])

// A small graph may take long to check.
const SMALL_BYTES: Partial<Record<keyof Readers, number>> = {
  ...{ prompt: limit('graphInTurnBytes'), runGraph: limit('graphInTurnBytes'), serverClasses: -1 },
}

// Their bodies are not needed here once they are read; copying the largest holds the event loop for 10 ms.
const TRANSFERRED: ReadonlySet<keyof Readers> = new Set(['object', 'items', 'report', 'chunk'])

function transferredOf(name: keyof Readers, given: readonly unknown[]): readonly ArrayBuffer[] {
  if (!TRANSFERRED.has(name)) return []
  // Part of a buffer is copied, as others may use the rest.
  return given.flatMap((one) =>
    one instanceof Uint8Array && one.buffer instanceof ArrayBuffer && one.length === one.buffer.byteLength
      ? one.buffer
      : [],
  )
}

// Counts only texts and bytes, since accompanying lists are short.
function sizeOf(given: unknown): number {
  if (typeof given === 'string' || given instanceof Uint8Array) return given.length
  if (Array.isArray(given)) return 0
  return typeof given === 'object' && given !== null
    ? Object.values(given).reduce<number>((sum, part) => sum + sizeOf(part), 0)
    : 0
}

if (!isMainThread) answerIn(read)
