import { errorHeadline, readJobError } from '../../../../src-main/domain/job/read-error.ts'

/** Why a run failed, and at which node of its payload. */
export type RunError = {
  readonly message: string
  readonly node?: string
  readonly classType?: string
  readonly input?: string
}

/** Reads an error of a run: workers of graphs write JSON with message, node, class and input; others write a text. */
export function readRunError(text: string): RunError {
  const read = readJobError(text)
  const fields = fieldsOf(read.message)
  const words = textOf(fields?.message)
  if (fields === undefined || words === undefined) return { message: errorHeadline(read) }
  const [node, classType, input] = [idOf(fields.node), textOf(fields.class), textOf(fields.input)]
  return { message: words, ...named({ node, classType, input }) }
}

/** The error in one line, with the place in front: `KSampler (3), seed: must be at least 0`. */
export function placedLine({ message, node, classType, input }: RunError): string {
  if (node === undefined) return message
  const place = classType === undefined ? `Node ${node}` : `${classType} (${node})`
  return `${place}${input === undefined ? '' : `, ${input}`}: ${message}`
}

type Fields = Readonly<Record<'message' | 'node' | 'class' | 'input', unknown>>

function fieldsOf(text: string): Fields | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    return JSON.parse(text) as Fields
  } catch {
    return undefined
  }
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const idOf = (value: unknown) => (typeof value === 'number' ? String(value) : textOf(value))

function named<Key extends string>(
  values: Readonly<Record<Key, string | undefined>>,
): { readonly [K in Key]?: string } {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { readonly [K in Key]?: string }
}
