import { type JsonObject, type JsonValue, writeJson } from '../../../../src-main/domain/workflow/json/value.ts'
import { type NodeTypes, readNodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import { readPayloadNodes } from '../../../../src-main/domain/workflow/payload.ts'
import { recognise } from '../../../../src-main/domain/workflow/recognise.ts'
import { toDocument } from '../../../../src-main/domain/workflow/to-document.ts'
import { askJson, type ComfyServer } from '../server/comfy-server.ts'

// Source: ours. It is written into each file of the prompt, and graphs of 500 nodes are some 300 KB.
const PAYLOAD_LENGTH_MAX = 1024 * 1024
// Each is asked for by itself, which takes a server some ms; all of them would be megabytes.
const CLASSES_MAX = 200
// In ms, all together: a busy server is not waited for.
const CLASSES_MS = 5000

/**
 * What the server writes into files for a job that has a payload alone: a document made of it, so that they open as a
 * graph all the same. Values have their places by the classes of the server; where those cannot be had, a document
 * would put values into wrong places, so there is none. Source: docs/spec/comfyui.md, 3 and 4; without a document:
 * ours.
 * @returns undefined where none can be made; the prompt runs without it
 */
export async function graphForFiles(
  server: ComfyServer,
  workflow: JsonValue,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const found = recognise(workflow)
  if (found.form !== 'payload' || found.unwrapped) return undefined
  const names = new Set(readPayloadNodes(found.raw).map(({ classType }) => classType))
  if (names.size > CLASSES_MAX || writeJson(found.raw).length > PAYLOAD_LENGTH_MAX) return undefined
  const types = await readClasses(server, [...names], signal)
  return types && new Map([['workflow', toDocument(found.raw, types)]])
}

async function readClasses(
  server: ComfyServer,
  names: readonly string[],
  signal: AbortSignal,
): Promise<NodeTypes | undefined> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(CLASSES_MS)])
  const ask = (name: string) =>
    askJson(server, { path: `object_info/${encodeURIComponent(name)}`, timeoutMs: CLASSES_MS, signal: until })
  try {
    const answers = await Promise.all(names.map(ask))
    const types = readNodeTypes(new Map(answers.flatMap((answer) => [...answer])))
    return names.every((name) => types.has(name)) ? types : undefined
  } catch {
    signal.throwIfAborted()
    return undefined // what the server cannot do, it says of the prompt itself
  }
}
