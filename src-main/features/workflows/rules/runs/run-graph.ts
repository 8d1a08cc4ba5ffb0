import { type JsonObject, type JsonValue, writeJson } from '../../../../lib/json/value.ts'
import type { GraphNeeds } from '../../../workers/rules/choose-job.ts'
import { type PackagesByClass, packagesOfPayload } from '../node-packages.ts'
import type { NodeTypes } from '../node-types.ts'
import { readPayloadNodes, withoutCacheNotes } from '../payload.ts'
import { type AskedModel, findMissingModel, type InstalledModels, needsOf } from './graph-models.ts'
import { graphIn, type NoGraph, readGraphText } from './library-text.ts'
import { imagesOf, wordsOf } from './payload-files.ts'
import { unrunnableNodes, type WorkflowFacts } from './takes-workflows.ts'

export type AskedRun = {
  readonly title: string
  readonly label: string | undefined
  readonly endpoint: Pick<WorkflowFacts, 'handler'>
  /** Undefined: models are not checked. */
  readonly installed: InstalledModels | undefined
}

export type RunGraph = {
  readonly text: string
  readonly files: readonly string[]
  readonly words: string
  readonly needs: GraphNeeds
}

/** Why a text is no usable payload. `unsafe`: a node id that workers may read differently. */
export type NoPayload = NoGraph | { readonly unsafe: string }

type UnrunnableNode = { readonly id: string; readonly classType: string; readonly named: PackagesByClass }

export type RefusedRun = NoPayload | { readonly missing: AskedModel } | { readonly unrunnable: UnrunnableNode }

// Keys like `__proto__` mean something else in some languages, so workers would see another graph.
const UNSAFE_IDS = new Set(['__proto__', 'constructor', 'prototype'])

const FIX =
  'Workers take the API form: the editor converts it when it runs or publishes a graph, and so does `drydock workflow convert --to api`.'

export const readPayloadText = (text: string) => payloadIn(readGraphText(text))

function payloadIn(read: ReturnType<typeof readGraphText>): { readonly payload: JsonObject } | NoPayload {
  if ('found' in read) return read
  if (read.form === 'document') return { found: 'a document of an editor', fix: FIX }
  const unsafe = [...read.raw.keys()].find((id) => UNSAFE_IDS.has(id))
  return unsafe === undefined ? { payload: withoutCacheNotes(read.raw) } : { unsafe }
}

export const runGraph = (text: string, asked: AskedRun, types: NodeTypes): RunGraph | RefusedRun =>
  runRead(readPayloadText(text), asked, types)

export const runParsed = (value: JsonValue, asked: AskedRun, types: NodeTypes): RunGraph | RefusedRun =>
  runRead(payloadIn(graphIn(value)), asked, types)

function runRead(read: ReturnType<typeof readPayloadText>, asked: AskedRun, types: NodeTypes): RunGraph | RefusedRun {
  if (!('payload' in read)) return read
  const { payload } = read
  const { title, label, endpoint, installed } = asked
  const nodes = readPayloadNodes(payload)
  const missing = installed && findMissingModel(nodes, installed)
  if (missing !== undefined) return { missing }
  const [unrunnable] = unrunnableNodes(endpoint, nodes, types)
  if (unrunnable !== undefined) {
    const { id, classType } = unrunnable
    return { unrunnable: { id, classType, named: packagesOfPayload(payload) } }
  }
  const files = [...new Set(imagesOf(payload, types).map(({ name }) => name))]
  return { text: writeJson(payload), files, words: wordsOf(payload, title, label), needs: needsOf(nodes) }
}
