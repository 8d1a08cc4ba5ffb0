/**
 * What workers of graphs say of an error at a node: ours as JSON, the public image worker in a sentence. Source:
 * docs/spec/image-workflows.md, 6.2; worker-comfyui, handler.py.
 */

/** An error at a node. */
export type NodeError = {
  /** As the worker says it to any client. */
  readonly message: string
  /** Id of the node, as the payload has it. */
  readonly node: string
  /** Where it has one of its own. */
  readonly title?: string
  readonly classType?: string
  readonly input?: string
  /** What is wrong, in plain language and without the location. */
  readonly reason?: string
  readonly traceback?: string
}

/** Reads an error; undefined where it names no node. */
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

/** The error in a line, with the location in front: `KSampler "First pass" (3), seed: must be at least 0`. */
export function nodeErrorLine(error: Omit<NodeError, 'traceback'>): string {
  const { message, node, title, classType, input, reason = message } = error
  const name = [classType, title === undefined ? undefined : `"${title}"`]
    .filter((part) => part !== undefined)
    .join(' ')
  const location = name === '' ? `Node ${node}` : `${name} (${node})`
  return `${location}${input === undefined ? '' : `, ${input}`}: ${reason.trim()}`
}

/**
 * Writes an error as it is read. Of a long traceback the end stays, where it says most.
 * @param length most characters
 */
export function writeNodeError({ classType, traceback, message, ...rest }: NodeError, length: number): string {
  const fields = { message: message.slice(0, length / 4), ...rest, ...given({ class: classType }) }
  if (fields.reason !== undefined) fields.reason = fields.reason.slice(0, length / 4)
  const short = JSON.stringify(fields)
  let end = traceback?.slice(-length) ?? ''
  const written = () => JSON.stringify({ ...fields, traceback: end })
  // Signs that JSON escapes take more room than one each, so it is measured as written.
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
 * The fields of an error that a worker wrote as JSON, as worker SDKs and workers of graphs do. Source:
 * docs/spec/worker-protocol.md, 3; docs/spec/image-workflows.md, 6.2.
 * @returns undefined where it is not JSON, or was cut
 */
export function errorFields(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch {
    return undefined
  }
}
