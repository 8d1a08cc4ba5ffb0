/**
 * A graph as a file that another Drydock opens and runs: lines of JSON. The first says what it is and what it needs, the
 * second is the document, the third the payload (`null`: there is none), and each file that it comes with is a line of
 * base64. No archive, so that no name in it is a path of anything.
 */
import { limit } from '../../contract/limits.ts'
import { type GraphExportHead, graphExportHead } from '../../contract/workflows.ts'
import { graphName } from '../models/layout.ts'
import { parseJson } from '../workflow/json/parse.ts'
import { isNumber, type JsonObject } from '../workflow/json/value.ts'
import type { PackagesByClass } from '../workflow/node-packages.ts'
import type { NodeTypes } from '../workflow/node-types.ts'
import { type PayloadNode, readPayloadNodes } from '../workflow/payload.ts'
import { isGraphExport, recognise } from '../workflow/recognise.ts'
import { plainName } from './find-results.ts'
import { modelsOf } from './graph-models.ts'
import { imagesOf } from './payload-files.ts'

const SEED_INPUT = /^(?:noise_)?seed$/

/** The seeds of nodes to their last digit, as text. */
export const seedsOf = (nodes: readonly PayloadNode[]): GraphExportHead['seeds'] =>
  nodes.flatMap(({ id, inputs }) =>
    [...inputs].flatMap(([input, value]) =>
      SEED_INPUT.test(input) && isNumber(value) ? [{ node: id, input, value: value.number }] : [],
    ),
  )

/** What a graph needs to run, by name. */
type GraphNeeds = Pick<GraphExportHead, 'seeds' | 'classes'> & {
  readonly models: readonly { readonly name: string; readonly directory: string | undefined }[]
  /** Names of the files that its nodes load. */
  readonly files: readonly string[]
}

/** Looks through a payload. @param packagesOf the packages of its classes, as far as they are known */
export function needsOf(payload: JsonObject, types: NodeTypes, packagesOf: PackagesByClass): GraphNeeds {
  const nodes = readPayloadNodes(payload)
  const counts = Map.groupBy(nodes, ({ classType }) => classType)
  const models = modelsOf(nodes).map(({ asked, directory }) => ({ name: graphName(asked), directory }))
  return {
    seeds: seedsOf(nodes),
    classes: [...counts].map(([name, of]) => ({ name, count: of.length, packages: [...(packagesOf.get(name) ?? [])] })),
    models: [...new Map(models.map((model) => [`${model.directory}/${model.name}`, model])).values()],
    files: [...new Set(imagesOf(payload, types).map(({ name }) => name))],
  }
}

/** The first three lines. The texts are JSON, and stay what they are but for line ends between their values. */
export function exportLines(
  head: GraphExportHead,
  { document, payload }: { readonly document: string | undefined; readonly payload: string | undefined },
): string {
  const line = (text: string | undefined) => (text ?? 'null').replace(/[\r\n]+/g, ' ')
  return `${JSON.stringify(head)}\n${line(document)}\n${line(payload)}\n`
}

/** A file of an export. `base64`: its bytes; whoever decodes them compares their SHA-256. */
type ExportedFile = GraphExportHead['files'][number] & { readonly sha256: string; readonly base64: string }

/** An export that was read. Texts are JSON of the document and of the payload. */
export type OpenedGraph = {
  readonly head: GraphExportHead
  readonly document: string | undefined
  readonly payload: string | undefined
  readonly files: readonly ExportedFile[]
}

/** Reads an export, of which nothing is believed. @returns why it is none, the end of a sentence */
export function readGraphExport(text: string): OpenedGraph | { readonly why: string } {
  if (!isGraphExport(text)) return { why: 'it is not a graph exported by Drydock' }
  const [first = '', second, third, ...rest] = text.split('\n')
  const head = graphExportHead.safeParse(parsed(first))
  if (!head.success) {
    const [issue] = head.error.issues
    return { why: `its first line is damaged or newer than this Drydock (${issue?.path.join('.')}: ${issue?.message})` }
  }
  const sent = head.data.files.filter(({ left }) => left === undefined)
  if (second === undefined || third === undefined || rest.length < sent.length + 1) return { why: 'it is cut off' }
  if (rest.slice(sent.length).some((line) => line.trim() !== '')) return { why: 'it has more lines than it announces' }
  const document = graphIn(second, 'document')
  const payload = graphIn(third, 'payload')
  if (document === 'damaged' || payload === 'damaged') return { why: 'its graph is damaged or nested too deep' }
  if (document === undefined && payload === undefined) return { why: 'it holds no graph' }
  const files: ExportedFile[] = []
  for (const [at, file] of sent.entries()) {
    const base64 = rest[at] ?? ''
    if (file.sha256 === undefined || plainName(file.name) !== file.name)
      return { why: `it has a file without a usable name or SHA-256: ${file.name.slice(0, 100)}` }
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || (base64.length / 4) * 3 > limit('assetBytes') + 2)
      return { why: `its file ${file.name} is damaged or too large` }
    files.push({ ...file, sha256: file.sha256, base64 })
  }
  return { head: head.data, document, payload, files }
}

function graphIn(line: string, form: 'document' | 'payload'): string | undefined | 'damaged' {
  if (line.trim() === 'null') return undefined
  if (line.length > limit('workflowBytes')) return 'damaged'
  const read = parseJson(line)
  return read.kind === 'value' && recognise(read.value).form === form ? line : 'damaged'
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
