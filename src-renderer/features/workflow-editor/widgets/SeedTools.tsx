import { Dices, History } from 'lucide-react'
import type { InputType } from '../../../../src-main/domain/workflow/input-type.ts'
import { parseJson } from '../../../../src-main/domain/workflow/json/parse.ts'
import { isNumber, isObject, type JsonNumber, type JsonValue } from '../../../../src-main/domain/workflow/json/value.ts'
import { readPayloadNodes } from '../../../../src-main/domain/workflow/payload.ts'
import { useApp } from '../../../store/app-context.ts'
import { useRuns } from '../store/editor-context.ts'
import { wholeBounds } from './exact-number.ts'
import { randomBetween } from './random-between.ts'

/** The buttons of a seed. */
export type SeedToolsProps = {
  /** Like `seed of KSampler`. */
  readonly name: string
  readonly input: InputType
  /** Id of the node as the payload has it. */
  readonly payloadId: string
  readonly set: (value: JsonValue) => void
}

/** A new random seed, and the one of the last run. */
export function SeedTools({ name, input, payloadId, set }: SeedToolsProps) {
  const { client, store } = useApp()
  const lastRun = useRuns(({ shown }) => shown?.id)
  const takeLast = async (runId: string) => {
    try {
      const { payload } = await client.call('runRead', { path: { runId } })
      const seed = valueIn(payload, payloadId, input.name)
      if (seed !== undefined) set(seed)
      else store.getState().tell({ kind: 'error', text: `The last run had no ${name}: the node was not part of it.` })
    } catch (error) {
      store
        .getState()
        .tell({ kind: 'error', text: `The ${name} of the last run could not be read: ${(error as Error).message}` })
    }
  }
  const look =
    'nodrag shrink-0 rounded-control p-0.5 text-ink-2 hover:bg-surface-2 hover:text-ink disabled:opacity-40 [&_svg]:size-3.5'
  return (
    <>
      <button
        type="button"
        title="New random seed"
        aria-label={`New random ${name}`}
        onClick={() => set({ number: String(randomBetween(...wholeBounds(input))) })}
        className={look}
      >
        <Dices aria-hidden />
      </button>
      <button
        type="button"
        title={lastRun === undefined ? 'Seed of the last run: there was none in this tab yet' : 'Seed of the last run'}
        aria-label={`Take ${name} of the last run`}
        disabled={lastRun === undefined}
        onClick={() => lastRun !== undefined && void takeLast(lastRun)}
        className={look}
      >
        <History aria-hidden />
      </button>
    </>
  )
}

/**
 * The value that a payload gave to an input; of a node with a subgraph that of the one node within it which has the input.
 * @returns undefined where it gave none, or several
 */
function valueIn(payload: string, node: string, input: string): JsonNumber | undefined {
  const parsed = parseJson(payload)
  if (parsed.kind === 'fault' || !isObject(parsed.value)) return undefined
  const nodes = readPayloadNodes(parsed.value)
  const own = nodes.filter(({ id }) => id === node)
  const among = own.length > 0 ? own : nodes.filter(({ id }) => id.startsWith(`${node}:`))
  const [value, ...others] = among.map(({ inputs }) => inputs.get(input)).filter(isNumber)
  return others.length === 0 ? value : undefined
}
