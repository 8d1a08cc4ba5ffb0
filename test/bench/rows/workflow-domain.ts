/** A graph of 5,000 nodes: made of its payload, turned into one again, checked, and seen for the first time. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { typesIn } from '../../../src-main/features/workflows/rules/classes-file.ts'
import { readDocument } from '../../../src-main/features/workflows/rules/document/document.ts'
import { createGraphViewer } from '../../../src-main/features/workflows/rules/graph-view.ts'
import { toDocument } from '../../../src-main/features/workflows/rules/to-document.ts'
import { toPayload } from '../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { validate } from '../../../src-main/features/workflows/rules/validate.ts'
import { parseJson } from '../../../src-main/lib/json/parse.ts'
import { isObject, type JsonObject } from '../../../src-main/lib/json/value.ts'
import { bounded, type Row } from '../report.ts'
import { median } from '../statistics.ts'

const NODES = 5000
const ROUNDS = 15
// Source: docs/spec/image-workflows.md, 4; ours for the others.
const MOST_MS = { document: 50, payload: 50, check: 50, views: 30 }

/** The rows. */
export async function workflowDomain(): Promise<readonly Row[]> {
  const types = typesIn(readFileSync(resource('node-types.json'), 'utf8'))
  const payload = objectOf(JSON.stringify(payloadOf(NODES)))
  const document = readDocument(toDocument(payload, types))
  return [
    row('a document made of a payload', MOST_MS.document, () => toDocument(payload, types)),
    row('a payload made of a document', MOST_MS.payload, () => toPayload(document, types, 0)),
    row('a payload checked', MOST_MS.check, () => validate(payload, types)),
    row('all nodes of a graph seen', MOST_MS.views, () => createGraphViewer()(document, undefined, types)),
  ]
}

function row(what: string, most: number, work: () => unknown): Row {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
  return bounded(`${what}, ${NODES.toLocaleString('en-US')} nodes`, median(times), most, 'ms')
}

const resource = (path: string) => fileURLToPath(new URL(`../../../resources/${path}`, import.meta.url))

function objectOf(text: string): JsonObject {
  const parsed = parseJson(text)
  if (!isObject(parsed)) throw new Error('it is no object of JSON')
  return parsed
}

type Node = { readonly class_type: string; readonly inputs: Readonly<Record<string, unknown>> }

/** Independent graphs of seven nodes that make a picture, in one payload. */
function payloadOf(nodes: number): Readonly<Record<string, Node>> {
  const all = Array.from({ length: Math.ceil(nodes / 7) }, (_, at) => pictureFrom(at * 7)).flat()
  return Object.fromEntries(all.slice(0, nodes).map((node, at) => [at + 1, node]))
}

function pictureFrom(before: number): readonly Node[] {
  const from = (at: number, slot: number) => [String(before + at), slot]
  const sampling = { seed: before, steps: 20, cfg: 8, sampler_name: 'euler', scheduler: 'normal', denoise: 1 }
  const sources = { model: from(1, 0), positive: from(2, 0), negative: from(3, 0), latent_image: from(4, 0) }
  return [
    { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'some.safetensors' } },
    { class_type: 'CLIPTextEncode', inputs: { text: 'a lamp', clip: from(1, 1) } },
    { class_type: 'CLIPTextEncode', inputs: { text: 'blurred', clip: from(1, 1) } },
    { class_type: 'EmptyLatentImage', inputs: { width: 512, height: 512, batch_size: 1 } },
    { class_type: 'KSampler', inputs: { ...sampling, ...sources } },
    { class_type: 'VAEDecode', inputs: { samples: from(5, 0), vae: from(1, 2) } },
    { class_type: 'SaveImage', inputs: { filename_prefix: 'picture', images: from(6, 0) } },
  ]
}
