/** Graphs that the editor and the commands send to be run: read, checked, and as the job gets them. */
import { type JsonObject, writeJson } from '../workflow/json/value.ts'
import { type PackagesByClass, packagesOfPayload } from '../workflow/node-packages.ts'
import type { NodeTypes } from '../workflow/node-types.ts'
import { readPayloadNodes, withoutCacheNotes } from '../workflow/payload.ts'
import { type AskedModel, findMissingModel, type InstalledModels } from './graph-models.ts'
import { type NoGraph, readGraphText } from './library-text.ts'
import { imagesOf, wordsOf } from './payload-files.ts'
import { unrunnableNodes, type WorkflowFacts } from './takes-workflows.ts'

/** What a graph is run as, and what its workers have. */
export type AskedRun = {
  readonly title: string
  readonly label: string | undefined
  readonly endpoint: Pick<WorkflowFacts, 'handler'>
  /** Undefined where the models are not checked. */
  readonly installed: InstalledModels | undefined
}

/** A graph that can be run: JSON of its payload, names of the files that its nodes load, and what it is found by. */
export type RunGraph = { readonly text: string; readonly files: readonly string[]; readonly words: string }

/** Why a text is no payload that is sent on. `unsafe`: a node whose id workers may read as another one. */
export type NoPayload = NoGraph | { readonly unsafe: string }

/** A node whose class the workers do not have, and the packages that the graph names for its classes. */
type UnrunnableNode = { readonly id: string; readonly classType: string; readonly named: PackagesByClass }

/** Why a graph is not run. */
export type RefusedRun = NoPayload | { readonly missing: AskedModel } | { readonly unrunnable: UnrunnableNode }

// Keys like `__proto__` are other things in other languages, so a worker would see another graph than we do.
const UNSAFE_IDS = new Set(['__proto__', 'constructor', 'prototype'])

const FIX =
  'Workers take the API form: the editor converts it when it runs or publishes a graph, and so does `drydock workflow convert --to api`.'

/** Reads a graph in the form that workers take, as it is to be sent: without what a server noted in it for its cache. */
export function readPayloadText(text: string): { readonly payload: JsonObject } | NoPayload {
  const read = readGraphText(text)
  if ('found' in read) return read
  if (read.form === 'document') return { found: 'a document of an editor', fix: FIX }
  const unsafe = [...read.raw.keys()].find((id) => UNSAFE_IDS.has(id))
  return unsafe === undefined ? { payload: withoutCacheNotes(read.raw) } : { unsafe }
}

/** Reads a graph that is to be run, and checks whether the workers can run it. */
export function runGraph(text: string, asked: AskedRun, types: NodeTypes): RunGraph | RefusedRun {
  const read = readPayloadText(text)
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
  return { text: writeJson(payload), files, words: wordsOf(payload, title, label) }
}
