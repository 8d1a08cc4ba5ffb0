import { type NodeTypes, readNodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { readPayloadNodes } from '../../../../src-main/features/workflows/rules/payload.ts'
import { recognise } from '../../../../src-main/features/workflows/rules/recognise.ts'
import { toDocument } from '../../../../src-main/features/workflows/rules/to-document.ts'
import { type JsonObject, type JsonValue, writeJson } from '../../../../src-main/lib/json/value.ts'
import { askJson, type ComfyServer } from '../server/comfy-server.ts'

// Source: ours. It is written into each file of the prompt, and graphs of 500 nodes take about 300 KB.
const PAYLOAD_LENGTH_MAX = 1024 * 1024
// Each class is requested separately, which takes a few ms; all classes of a server would be megabytes.
const CLASSES_MAX = 200
// Total in ms, so that a busy server delays no job.
const CLASSES_MS = 5000

/**
 * Builds a document to embed in output files of a job that has only a payload. Source: docs/spec/comfyui.md, 3, 4; the
 * fallback: ours.
 * @returns undefined without node types, as values would land in wrong places
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
    return undefined
  }
}
