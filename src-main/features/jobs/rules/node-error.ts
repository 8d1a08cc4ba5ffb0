/**
 * Node errors: JSON from our workers, a sentence from the public image worker. Source: docs/spec/image-workflows.md,
 * 6.2; worker-comfyui, handler.py.
 */
import { isRecord, plainJson } from '../../../lib/json/plain.ts'

export type NodeError = {
  readonly message: string
  readonly node: string
  readonly title?: string
  readonly classType?: string
  readonly input?: string
  readonly reason?: string
  readonly traceback?: string
}

export function readNodeError(text: string): NodeError | undefined {
  const reported = SENTENCE.exec(text)
  if (reported !== null) {
    const [, classType, node = '', reason = ''] = reported
    return { message: text, node, reason: reason.trim(), ...given({ classType }) }
  }
  const fields = errorFields(text)
  const [message, node] = [filledText(fields?.message), idOf(fields?.node)]
  if (fields === undefined || message === undefined || node === undefined) return undefined
  const location = {
    title: filledText(fields.title),
    classType: filledText(fields.class),
    input: filledText(fields.input),
  }
  return {
    ...{ message, node },
    ...given({ ...location, reason: filledText(fields.reason), traceback: filledText(fields.traceback) }),
  }
}

export function nodeErrorLine(error: Omit<NodeError, 'traceback'>): string {
  const { message, node, title, classType, input, reason = message } = error
  const name = [classType, title === undefined ? undefined : `"${title}"`]
    .filter((part) => part !== undefined)
    .join(' ')
  const location = name === '' ? `Node ${node}` : `${name} (${node})`
  return `${location}${input === undefined ? '' : `, ${input}`}: ${reason.trim()}`
}

/**
 * Keeps the end of a long traceback, which says most.
 * @param length maximum characters
 */
export function writeNodeError({ classType, traceback, message, ...rest }: NodeError, length: number): string {
  const fields = { message: message.slice(0, length / 4), ...rest, ...given({ class: classType }) }
  if (fields.reason !== undefined) fields.reason = fields.reason.slice(0, length / 4)
  const short = JSON.stringify(fields)
  let end = traceback?.slice(-length) ?? ''
  const written = () => JSON.stringify({ ...fields, traceback: end })
  // JSON escapes take several characters, so the written text is measured.
  while (end !== '' && written().length > length) end = end.slice(Math.ceil(end.length / 8))
  return end === '' ? short : written()
}

const SENTENCE =
  /^(?:Job processing failed: )?Workflow execution error: Node Type: (.{1,500}?), Node ID: (.{1,500}?), Message: ([\s\S]*)$/

const filledText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const idOf = (value: unknown) => (typeof value === 'number' ? String(value) : filledText(value))

function given<Key extends string>(values: Readonly<Record<Key, string | undefined>>): { [K in Key]?: string } {
  const there = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(there) as { [K in Key]?: string }
}

/**
 * Fields of a JSON error from SDKs and graph workers. Source: docs/spec/worker-protocol.md, 3;
 * docs/spec/image-workflows.md, 6.2.
 * @returns undefined if not JSON, or truncated
 */
export function errorFields(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith('{')) return undefined
  const read = plainJson(text)
  return isRecord(read) ? read : undefined
}
