import type { NodeType } from '../../../src-main/features/workflows/rules/node-types.ts'
import { type PayloadNode, readLink } from '../../../src-main/features/workflows/rules/payload.ts'
import { isNumber, type JsonValue } from '../../../src-main/lib/json/value.ts'

/** An error of one node, worded for users; `input` names the input that caused it. */
export class NodeError extends Error {
  readonly node: string
  readonly classType: string
  readonly input: string | undefined

  constructor(
    message: string,
    at: { readonly id: string; readonly classType: string },
    { input, cause }: { readonly input?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.node = at.id
    this.classType = at.classType
    this.input = input
  }
}

export type Picture = {
  readonly width: number
  readonly height: number
  readonly prompt: string
  readonly seed: string
  /** Shifts the colours: a digest of all settings that the picture depends on. */
  readonly key: string
  readonly isInverted: boolean
}

/** A value of an output: only the fields of its kind are set. */
export type Value = {
  readonly kind: string
  readonly text: string
  readonly steps: number
  readonly pictures: readonly Picture[]
}

export type Inputs = ReturnType<typeof createInputs>

export function createInputs(node: PayloadNode, type: NodeType, values: ReadonlyMap<string, readonly Value[]>) {
  const typeOf = (name: string) => type.inputs.find((input) => input.name === name)
  const wrong = (name: string, wanted: string) => new NodeError(`Input ${name} needs ${wanted}.`, node, { input: name })

  function linked(name: string): Value | undefined {
    const link = readLink(node.inputs.get(name))
    return link && values.get(link.node)?.[link.slot]
  }

  function text(name: string): string {
    const found = linked(name)
    if (found !== undefined) return found.text
    const json = node.inputs.get(name) ?? typeOf(name)?.options.get('default') ?? null
    if (json === null) throw wrong(name, 'a value')
    return isNumber(json) ? json.number : String(json)
  }

  return {
    text,
    take(name: string): Value {
      const found = linked(name)
      if (found === undefined) throw wrong(name, `a ${typeOf(name)?.type ?? 'link'}. Link one to it`)
      return found
    },
    ofKind: (kind: string): Value | undefined =>
      type.inputs.map(({ name }) => linked(name)).find((value) => value?.kind === kind),
    number(name: string): number {
      const value = Number(text(name))
      const [least, most] = ['min', 'max'].map((bound) => boundOf(typeOf(name)?.options.get(bound)))
      if (!Number.isFinite(value)) throw wrong(name, 'a number')
      if (least !== undefined && value < least) throw wrong(name, `${least} or more, and got ${value}`)
      if (most !== undefined && value > most) throw wrong(name, `${most} or less, and got ${value}`)
      return value
    },
  }
}

function boundOf(value: JsonValue | undefined): number | undefined {
  const bound = isNumber(value) ? Number(value.number) : Number.NaN
  return Number.isFinite(bound) ? bound : undefined
}
