import * as DropdownMenu from '@radix-ui/react-dropdown-menu'
import { Dices, History } from 'lucide-react'
import { createPortal } from 'react-dom'
import type { InputType } from '../../../../src-main/features/workflows/rules/input-type.ts'
import { readPayloadNodes } from '../../../../src-main/features/workflows/rules/payload.ts'
import { parseJson } from '../../../../src-main/lib/json/parse.ts'
import { isNumber, isObject, type JsonNumber, type JsonValue } from '../../../../src-main/lib/json/value.ts'
import { useApp } from '../../../store/app-context.ts'
import { useRuns } from '../store/editor-store.ts'
import { randomBetween, wholeBounds } from './exact-number.ts'

export type SeedToolsProps = {
  readonly name: string
  readonly input: InputType
  readonly payloadId: string
  readonly set: (value: JsonValue) => void
}

export function SeedTools({ name, input, payloadId, set }: SeedToolsProps) {
  const { client, store } = useApp()
  const lastRun = useRuns(({ shown }) => shown?.id)
  const takeLast = async (runId: string) => {
    try {
      const { payload } = await client.call('runRead', { path: { runId } })
      const seed = valueIn(payload, payloadId, input.name)
      if (seed !== undefined) set(seed)
      else store.getState().notify({ kind: 'error', text: `The last run had no ${name}: the node was not part of it.` })
    } catch (error) {
      store
        .getState()
        .notify({ kind: 'error', text: `The ${name} of the last run could not be read: ${(error as Error).message}` })
    }
  }
  const style =
    'nodrag shrink-0 rounded-control p-0.5 text-ink-2 hover:bg-surface-2 hover:text-ink disabled:opacity-40 [&_svg]:size-3.5'
  return (
    <>
      <button
        type="button"
        title="New random seed"
        aria-label={`New random ${name}`}
        onClick={() => set({ number: String(randomBetween(...wholeBounds(input))) })}
        className={style}
      >
        <Dices aria-hidden />
      </button>
      <button
        type="button"
        title={lastRun === undefined ? 'Seed of the last run: no run in this tab yet' : 'Seed of the last run'}
        aria-label={`Use ${name} of the last run`}
        disabled={lastRun === undefined}
        onClick={() => lastRun !== undefined && void takeLast(lastRun)}
        className={style}
      >
        <History aria-hidden />
      </button>
    </>
  )
}

/**
 * The payload's value of an input; for a subgraph node, that of the one inner node with the input.
 * @returns undefined if there is none or several
 */
function valueIn(payload: string, node: string, input: string): JsonNumber | undefined {
  const parsed = parseJson(payload)
  if (!isObject(parsed)) return undefined
  const nodes = readPayloadNodes(parsed)
  const own = nodes.filter(({ id }) => id === node)
  const among = own.length > 0 ? own : nodes.filter(({ id }) => id.startsWith(`${node}:`))
  const [value, ...others] = among.map(({ inputs }) => inputs.get(input)).filter(isNumber)
  return others.length === 0 ? value : undefined
}

export type WidgetMenuItem = { readonly label: string; readonly onSelect: () => void; readonly disabled?: boolean }

type WidgetMenuProps = {
  readonly name: string
  readonly x: number
  readonly y: number
  readonly help: string | undefined
  readonly items: readonly WidgetMenuItem[]
  readonly onClose: () => void
}

export function WidgetMenu({ name, x, y, help, items, onClose }: WidgetMenuProps) {
  return createPortal(
    <DropdownMenu.Root open onOpenChange={(open) => !open && onClose()}>
      <DropdownMenu.Trigger asChild>
        <span aria-hidden className="pointer-events-none fixed size-0" style={{ left: x, top: y }} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          aria-label={name}
          align="start"
          sideOffset={2}
          collisionPadding={8}
          // The trigger is a point, which cannot have the focus.
          onCloseAutoFocus={(event) => event.preventDefault()}
          className="enters z-50 max-w-72 min-w-44 rounded-control border border-line bg-surface-1 p-1 shadow-float"
        >
          <DropdownMenu.Label className="px-2 py-1 font-medium break-words">{name}</DropdownMenu.Label>
          {help !== undefined && <p className="px-2 pb-1.5 text-small break-words text-ink-2">{help}</p>}
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          {items.map(({ label, onSelect, disabled = false }) => (
            <DropdownMenu.Item
              key={label}
              disabled={disabled}
              onSelect={onSelect}
              className="rounded-control px-2 py-1 outline-none data-disabled:opacity-50 data-highlighted:bg-surface-2"
            >
              {label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>,
    document.body,
  )
}
