import { randomFillSync } from 'node:crypto'
import type { ServiceClient } from '../../../app/client/service-client.ts'
import { readJson } from '../../../lib/json/parse.ts'
import { type JsonObject, writeJson } from '../../../lib/json/value.ts'
import { typesIn } from '../rules/classes-file.ts'
import { readDocument, type WorkflowDocument } from '../rules/document/document.ts'
import { createGraphViewer } from '../rules/graph-view.ts'
import { type NodeTypes, withOthers } from '../rules/node-types.ts'
import { readPayloadNodes } from '../rules/payload.ts'
import type { Problem } from '../rules/problem.ts'
import { recognise } from '../rules/recognise.ts'
import { randomWhole } from '../rules/resolve/next-value.ts'
import { resolveDocument } from '../rules/resolve/resolve.ts'
import { findMissingModel } from '../rules/runs/graph-models.ts'
import { toDocument } from '../rules/to-document.ts'
import { toPayload } from '../rules/to-payload/to-payload.ts'
import { validate } from '../rules/validate.ts'

export type ReadGraph = ReturnType<typeof readGraphText>

export async function typesOf(client: ServiceClient, endpoint: string | undefined): Promise<NodeTypes> {
  const typesOfEndpoint = async (one: string | undefined) =>
    typesIn((await client.call('nodeTypes', { query: { endpoint: one } })).text)
  const own = await typesOfEndpoint(endpoint)
  return endpoint === undefined ? own : withOthers(own, await typesOfEndpoint(undefined))
}

export function readGraphText(text: string) {
  const read = readJson(text)
  if ('fault' in read) throw new Error(`This is not JSON: ${read.fault.why} in line ${read.fault.line}.`)
  const found = recognise(read.value)
  if (found.form === 'other') throw new Error(`This is no workflow but ${found.found}.`)
  const { form, raw } = found
  return {
    form,
    raw,
    document: (types: NodeTypes): WorkflowDocument => readDocument(form === 'document' ? raw : toDocument(raw, types)),
  }
}

export type RunnableGraph = {
  readonly payload: JsonObject
  readonly document: WorkflowDocument | undefined
  readonly problems: readonly Problem[]
}

const random = (least: bigint, most: bigint) => randomWhole([least, most], (bytes) => void randomFillSync(bytes))

/**
 * Resolves prompt choices and converts; seeds stay unchanged.
 * @param now ms since the epoch
 */
export function toRun({ form, raw }: ReadGraph, types: NodeTypes, now: number): RunnableGraph {
  if (form === 'payload') return { payload: raw, document: undefined, problems: validate(raw, types) }
  const { document } = resolveDocument(readDocument(raw), types, { random, isFirst: true })
  const { payload, problems } = toPayload(document, types, now)
  return { payload, document, problems: [...problems, ...validate(payload, types)] }
}

const viewGraph = createGraphViewer()

export function describeDocument(graph: ReadGraph, types: NodeTypes): readonly string[] {
  const document = graph.document(types)
  const view = viewGraph(document, undefined, types)
  const classes = new Map(document.nodes.items.map(({ id, type }) => [id, type]))
  const links = new Map(view?.links.map((link) => [link.id, link]))
  return (view?.nodes ?? []).map(({ id, title, mode, widgets, inputs, outputs }) => {
    const type = classes.get(id) ?? ''
    const values = widgets
      .filter(({ isLinked }) => !isLinked)
      .map(({ name, value }) => `${name}=${writeJson(value ?? null)}`)
    const linked = inputs.flatMap(({ name, link }) => {
      const from = link === undefined ? undefined : links.get(link)?.from
      return from === undefined ? [] : [`${name}←${from.node}.${from.slot}`]
    })
    const open = inputs
      .filter(({ link, isWidget }) => link === undefined && !isWidget)
      .map(({ name }) => `${name}←nothing`)
    const gives = outputs.map(({ name, at }) => `${at} ${name}`)
    const parts = [
      `${id} ${type}${title === type ? '' : ` "${title}"`}${mode === 'always' ? '' : ` (${mode})`}`,
      ...[values, [...linked, ...open]].filter((list) => list.length > 0).map((list) => list.join(', ')),
      ...(gives.length === 0 ? [] : [`gives ${gives.join(', ')}`]),
    ]
    return parts.join('; ')
  })
}

export async function missingModel(
  client: ServiceClient,
  endpointId: string,
  payload: JsonObject,
): Promise<string | undefined> {
  const { workflows } = await client.call('endpointRead', { path: { endpointId } })
  if (workflows?.models === undefined || workflows.checkModels === false) return undefined
  const here = workflows.modelFolders === false ? [] : (await client.call('modelList')).models
  const missing = findMissingModel(readPayloadNodes(payload), { named: workflows.models, here })
  if (missing === undefined) return undefined
  const names = [...workflows.models, ...here.map(({ name }) => name)]
  const has = names.length === 0 ? 'no model' : names.slice(0, NAMED_MODELS).join(', ')
  return `Node ${missing.node} loads the model ${missing.asked} (${missing.input}), which ${endpointId} does not have. It has ${has}${names.length > NAMED_MODELS ? ` and ${names.length - NAMED_MODELS} more` : ''}.`
}

const NAMED_MODELS = 20
