/**
 * The inputs of a node, read as what it needs. Validation has been over them: what is wrong here is a kind of value.
 */
import { isNumber, type JsonValue } from '../../../../src-main/domain/workflow/json/value.ts'
import type { NodeType } from '../../../../src-main/domain/workflow/node-types.ts'
import type { PayloadNode } from '../../../../src-main/domain/workflow/payload.ts'
import type { Kind, Value } from '../values.ts'
import { NodeError } from './node-error.ts'

/** What came in: along a link, or as it is written. */
export type Given = { readonly value: Value } | { readonly json: JsonValue }

/** Readers of inputs by their names. */
export type Inputs = {
  /** A value of a link. @throws NodeError where another kind, or nothing, came */
  readonly take: <K extends Kind>(name: string, kind: K) => Extract<Value, { kind: K }>
  readonly takeIfGiven: <K extends Kind>(name: string, kind: K) => Extract<Value, { kind: K }> | undefined
  readonly text: (name: string) => string
  readonly number: (name: string) => number
  /** A whole number, exactly: seeds go up to 2^64-1. */
  readonly whole: (name: string) => bigint
  readonly flag: (name: string) => boolean
}

/** Makes the inputs of a node from its payload and what its links give. */
export function createInputs(node: PayloadNode, type: NodeType, given: ReadonlyMap<string, Given>): Inputs {
  const wrong = (name: string, wanted: string) => new NodeError(`Input ${name} needs ${wanted}.`, node, { input: name })

  function takeIfGiven<K extends Kind>(name: string, kind: K): Extract<Value, { kind: K }> | undefined {
    const found = given.get(name)
    if (found === undefined) return undefined
    if ('value' in found && found.value.kind === kind) return found.value as Extract<Value, { kind: K }>
    throw wrong(name, `a ${kind}, and got ${'value' in found ? `a ${found.value.kind}` : 'a plain value'}`)
  }

  /** Values that come along links were not validated: the bounds of the class hold for them too. */
  function bounded(name: string, value: number): number {
    const options = type.inputs.find((input) => input.name === name)?.options
    const [least, most] = [boundOf(options?.get('min')), boundOf(options?.get('max'))]
    if (least !== undefined && value < least) throw wrong(name, `${least} or more, and got ${value}`)
    if (most !== undefined && value > most) throw wrong(name, `${most} or less, and got ${value}`)
    return value
  }

  /** The text of a plain value, given or by the class; numbers as they were written. */
  function plain(name: string): string {
    const found = given.get(name)
    if (found !== undefined && 'value' in found) {
      if (found.value.kind === 'PLAIN') return found.value.text
      throw wrong(name, 'a plain value')
    }
    const json = found?.json ?? type.inputs.find((input) => input.name === name)?.options.get('default')
    if (json === undefined || json === null) throw wrong(name, 'a value')
    return isNumber(json) ? json.number : String(json)
  }

  return {
    takeIfGiven,
    take(name, kind) {
      const found = takeIfGiven(name, kind)
      if (found === undefined) throw wrong(name, `a ${kind}. Link one to it`)
      return found
    },
    text: plain,
    number(name) {
      const value = Number(plain(name))
      if (!Number.isFinite(value)) throw wrong(name, 'a number')
      return bounded(name, value)
    },
    whole(name) {
      const text = plain(name).trim()
      if (/^[+-]?\d{1,40}$/.test(text)) return BigInt(text)
      const value = Math.trunc(Number(text))
      if (!Number.isSafeInteger(value)) throw wrong(name, 'a whole number')
      return BigInt(value)
    },
    flag: (name) => /^true$/i.test(plain(name)),
  }
}

function boundOf(value: JsonValue | undefined): number | undefined {
  const bound = isNumber(value) ? Number(value.number) : Number.NaN
  return Number.isFinite(bound) ? bound : undefined
}
