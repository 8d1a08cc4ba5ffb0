import { isObject, type JsonValue } from '../../../../src-main/lib/json/value.ts'
import { BridgeFailure, type FailureFacts } from '../failure.ts'
import { blamedNode, faultSentence, type NodeFault, nodeFaults, publicLines } from './node-errors.ts'
import { pythonText } from './python-text.ts'

// Limits that keep a server's message readable. Source: ours; a node takes about 500 characters.
const [LINES_MAX, SENTENCE_MAX] = [100, 10_000]

const FAILED = 'Workflow validation failed'

export type Refusal = {
  readonly message: string
  readonly facts: FailureFacts
  readonly wantsCheckpoints: boolean
}

export function readRefusal(body: JsonValue | undefined, text: string): Refusal {
  if (!isObject(body)) return plain(`ComfyUI validation failed (could not parse error response): ${text}`)
  const [error, nodeErrors] = [body.get('error'), body.get('node_errors')]
  const message = messageOf(error).slice(0, SENTENCE_MAX)
  const lines = publicLines(nodeErrors)
    .slice(0, LINES_MAX)
    .map((line) => line.slice(0, SENTENCE_MAX))
  if (lines.length === 0)
    return { ...plain(`${message}. Raw response: ${text}`), facts: isObject(error) ? blamedNode(error) : {} }
  const faults = nodeFaults(nodeErrors).slice(0, LINES_MAX)
  return {
    message: `${message}:\n${lines.map((line) => `• ${line}`).join('\n')}`,
    facts: { ...placeOf(faults), details: faults.map((fault) => faultSentence(fault).slice(0, SENTENCE_MAX)) },
    wantsCheckpoints: lines.some((line) => line.includes('not in list') && line.includes('ckpt_name')),
  }
}

export function refusalFailure({ message, facts }: Refusal, checkpoints: readonly string[] | undefined): BridgeFailure {
  if (checkpoints === undefined) return new BridgeFailure(message, facts)
  const known =
    checkpoints.length > 0
      ? `Available checkpoint models: ${checkpoints.join(', ')}`
      : 'No checkpoint models appear to be available. Please check your model installation.'
  return new BridgeFailure(`${message}\n\n${known}`, facts)
}

function placeOf(faults: readonly NodeFault[]): FailureFacts {
  const [fault] = faults
  if (fault === undefined) return {}
  const { node, class: name, input, reason } = fault
  const more = faults.length > 1 ? `. The graph has ${faults.length} faults in all` : ''
  return {
    node,
    ...(name === undefined ? {} : { class: name }),
    ...(input === undefined ? {} : { input }),
    reason: `${reason.slice(0, SENTENCE_MAX)}${more}`,
  }
}

const plain = (message: string): Refusal => ({ message, facts: {}, wantsCheckpoints: false })

function messageOf(error: JsonValue | undefined): string {
  if (error === undefined) return FAILED
  if (!isObject(error)) return pythonText(error)
  if (error.get('type') === 'prompt_outputs_failed_validation') return FAILED
  const message = error.get('message')
  return message === undefined ? FAILED : pythonText(message)
}
