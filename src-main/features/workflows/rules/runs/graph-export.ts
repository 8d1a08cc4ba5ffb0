/**
 * A portable graph in lines of JSON: head, document, payload or `null`, then base64 files. Not an archive, so that no
 * name is a path.
 */
import { limit } from '../../../../contract/limits.ts'
import { type GraphExportHead, graphExportHead } from '../../../../contract/workflows.ts'
import { parseJson } from '../../../../lib/json/parse.ts'
import { plainJson } from '../../../../lib/json/plain.ts'
import { isNumber, type JsonObject } from '../../../../lib/json/value.ts'
import { graphName } from '../../../models/rules/layout.ts'
import type { PackagesByClass } from '../node-packages.ts'
import type { NodeTypes } from '../node-types.ts'
import { type PayloadNode, readPayloadNodes } from '../payload.ts'
import { isGraphExport, recognise } from '../recognise.ts'
import { plainName } from './find-results.ts'
import { modelsOf } from './graph-models.ts'
import { imagesOf } from './payload-files.ts'

const SEED_INPUT = /^(?:noise_)?seed$/

export const seedsOf = (nodes: readonly PayloadNode[]): GraphExportHead['seeds'] =>
  nodes.flatMap(({ id, inputs }) =>
    [...inputs].flatMap(([input, value]) =>
      SEED_INPUT.test(input) && isNumber(value) ? [{ node: id, input, value: value.number }] : [],
    ),
  )

type GraphNeeds = Pick<GraphExportHead, 'seeds' | 'classes'> & {
  readonly models: readonly { readonly name: string; readonly directory: string | undefined }[]
  readonly files: readonly string[]
}

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

export function exportLines(
  head: GraphExportHead,
  { document, payload }: { readonly document: string | undefined; readonly payload: string | undefined },
): string {
  const line = (text: string | undefined) => (text ?? 'null').replace(/[\r\n]+/g, ' ')
  return `${JSON.stringify(head)}\n${line(document)}\n${line(payload)}\n`
}

type ExportedFile = GraphExportHead['files'][number] & { readonly sha256: string; readonly base64: string }

export type OpenedGraph = {
  readonly head: GraphExportHead
  readonly document: string | undefined
  readonly payload: string | undefined
  readonly files: readonly ExportedFile[]
}

/**
 * Parses an untrusted export.
 * @returns the reason, as the end of a sentence, if invalid
 */
export function readGraphExport(text: string): OpenedGraph | { readonly why: string } {
  if (!isGraphExport(text)) return { why: 'it is not a graph exported by Drydock' }
  const [first = '', second, third, ...rest] = text.split('\n')
  const head = graphExportHead.safeParse(plainJson(first))
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
  const graph = parseJson(line)
  return graph !== undefined && recognise(graph).form === form ? line : 'damaged'
}
