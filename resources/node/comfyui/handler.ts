/**
 * Runs jobs on a ComfyUI server with the public image worker's inputs and error texts. Source:
 * docs/spec/image-workflows.md, 6.2; docs/spec/comfyui.md, 6, 7, 9.
 */

import { LOST_SERVER_CODES } from '../../../src-main/features/workflows/rules/lost-server.ts'
import { readPayloadNode } from '../../../src-main/features/workflows/rules/payload.ts'
import { isObject, type JsonValue } from '../../../src-main/lib/json/value.ts'
import type { Context, Job } from '../svc-worker/handler.ts'
import { fail } from '../svc-worker/logs.ts'
import { BridgeFailure, type FailureFacts, ServerLost } from './failure.ts'
import { readInput } from './prompt/read-input.ts'
import { type RunOptions, runPrompt } from './run-prompt.ts'
import { readSettings } from './settings.ts'

// Characters. Source: ours; a name is shorter.
const TITLE_MAX = 200

/** @returns the job's output; `error` in it makes the job fail */
export async function handler(
  { inputText }: Job,
  { signal, progress }: Context,
): Promise<Readonly<Record<string, unknown>>> {
  const log = (line: string) => void process.stdout.write(`${line}\n`)
  if (process.env.BUCKET_ENDPOINT_URL !== undefined)
    log('BUCKET_ENDPOINT_URL is set, but this worker does not upload to a bucket; results are in the response.')
  const settings = readSettings(process.env)
  try {
    return await runJob(inputText, { settings, signal, progress, log })
  } catch (error) {
    if (error instanceof ServerLost && !signal.aborted) return fail(error.message, LOST_SERVER_CODES[error.when])
    throw error
  }
}

export async function runJob(inputText: string, options: RunOptions): Promise<Readonly<Record<string, unknown>>> {
  let workflow: JsonValue | undefined
  try {
    const input = readInput(inputText)
    workflow = input.workflow
    return await runPrompt(input, options)
  } catch (error) {
    if (error instanceof ServerLost && options.settings.endsWithoutServer) throw error
    if (error instanceof BridgeFailure) return answerOf(error, workflow)
    throw error
  }
}

// A fault at a node is an object, so that pages show it there; otherwise the sentence alone.
function answerOf({ message, facts }: BridgeFailure, workflow: JsonValue | undefined) {
  if (facts.node !== undefined) return { error: { message, ...titleOf(facts, workflow), ...facts } }
  return { error: message, ...(facts.details === undefined ? {} : { details: facts.details }) }
}

// The name that the author gave the node; editors write the class there by default.
function titleOf({ node: id = '' }: FailureFacts, workflow: JsonValue | undefined): { readonly title?: string } {
  const node = isObject(workflow) ? readPayloadNode(id, workflow.get(id)) : undefined
  const title = node?.title?.slice(0, TITLE_MAX)
  return title === undefined || title === node?.classType ? {} : { title }
}
