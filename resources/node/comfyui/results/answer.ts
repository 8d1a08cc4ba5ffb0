import { isObject, type JsonObject } from '../../../../src-main/lib/json/value.ts'
import { BridgeFailure, type FailureFacts, ServerLost } from '../failure.ts'
import type { Outcome } from '../follow/outcome.ts'
import type { Result } from './collect-results.ts'

export type Finished = {
  readonly promptId: string
  readonly outcome: Outcome
  readonly record: JsonObject | undefined
  readonly images: readonly Result[]
  readonly previews: readonly Result[]
  readonly faults: readonly string[]
}

export function answerFor(finished: Finished): Readonly<Record<string, unknown>> {
  const { promptId, outcome, record, images, faults } = finished
  const previews = finished.previews.length === 0 ? {} : { previews: finished.previews }
  const told = outcomeErrors(outcome)
  const notFound = `Prompt ID ${promptId} not found in history after execution.`
  if (record === undefined && told.length === 0) throw new ServerLost('with the prompt', notFound)
  if (record === undefined) {
    const details = [...told, notFound]
    throw failure('Job processing failed, prompt ID not found in history.', outcome, details)
  }
  const outputs = record.get('outputs')
  const hasOutputs = isObject(outputs) && outputs.size > 0
  const isEmpty = images.length === 0 && faults.length === 0 && told.length === 0 && !hasOutputs
  const errors = isEmpty ? [`No outputs found in history for prompt ${promptId}.`] : [...told, ...faults]
  if (images.length === 0 && errors.length > 0) throw failure('Job processing failed', outcome, errors)
  if (images.length === 0) return { status: 'success_no_images', images: [], ...previews }
  return { images, ...previews, ...(errors.length === 0 ? {} : { errors }) }
}

const INTERRUPTED = 'it was interrupted on the server'

function outcomeErrors(outcome: Outcome): string[] {
  if (outcome.kind === 'ended') return []
  const place = `Node Type: ${outcome.class ?? 'unknown'}, Node ID: ${outcome.node ?? 'unknown'}`
  const message = outcome.kind === 'failed' ? outcome.message : INTERRUPTED
  return [`Workflow execution error: ${place}, Message: ${message}`]
}

// The public worker's error is only the sentence; its meaning is in the details, which few read.
function failure(sentence: string, outcome: Outcome, details: readonly string[]): BridgeFailure {
  const facts = outcome.kind === 'ended' ? {} : named(outcome)
  return new BridgeFailure(`${sentence.replace(/\.$/, '')}: ${details[0]?.trim() ?? ''}`, { details, ...facts })
}

function named(outcome: Exclude<Outcome, { kind: 'ended' }>): FailureFacts {
  const { node, class: name } = outcome
  const { reason, traceback } = outcome.kind === 'failed' ? outcome : { reason: INTERRUPTED }
  return {
    ...(node === undefined ? {} : { node }),
    ...(name === undefined ? {} : { class: name }),
    reason,
    ...(traceback === undefined ? {} : { traceback }),
  }
}
