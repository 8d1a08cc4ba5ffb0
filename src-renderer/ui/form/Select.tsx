import * as Radix from '@radix-ui/react-select'
import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { Check, ChevronDown } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { read } from '../../browser/read.ts'
import { useApp } from '../../store/app-context.ts'
import { CONTROL, type ControlProps } from './Field.tsx'

export type SelectChoice = { readonly value: string; readonly label: string; readonly group?: string }

/** A choice of one of several. An empty value means none. */
export type SelectProps = {
  readonly choices: readonly SelectChoice[]
  readonly value: string
  readonly none?: string
  readonly onChange: (value: string) => void
  /** Comes last and loads more choices; the list stays open. */
  readonly more?: { readonly label: string; readonly onMore: () => void } | undefined
  readonly disabled?: boolean | undefined
  readonly id?: string
  readonly 'aria-label'?: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: boolean
  readonly className?: string | undefined
}

const NONE = ':none'
const MORE = ':more'

/** Typed letters jump to a choice, as in a browser's select. */
export function Select({ choices, none, value, onChange, more, disabled = false, className, ...rest }: SelectProps) {
  const [isOpen, setOpen] = useState(false)
  const isGrowing = useRef(false)
  const groups = Map.groupBy(choices, ({ group }) => group ?? '')
  return (
    <Radix.Root
      value={value === '' && none !== undefined ? NONE : value}
      disabled={disabled}
      open={isOpen}
      onOpenChange={(open) => {
        // Each choice closes the list after it is reported.
        if (!isGrowing.current) setOpen(open)
        isGrowing.current = false
      }}
      onValueChange={(chosen) => {
        if (chosen === MORE) {
          isGrowing.current = true
          return more?.onMore()
        }
        // The field reports an empty value when the chosen one leaves the list; nobody chose that.
        if (chosen !== '') onChange(chosen === NONE ? '' : chosen)
      }}
    >
      <Radix.Trigger
        {...rest}
        onKeyDown={keepLetters}
        className={clsx(
          CONTROL,
          'inline-flex h-7 max-w-80 items-center justify-between gap-1.5 pr-1.5 text-left hover:bg-surface-2',
          className,
        )}
      >
        <span className="truncate">
          <Radix.Value />
        </span>
        <ChevronDown aria-hidden className="size-3.5 shrink-0 text-ink-2" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="enters z-50 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) max-w-96 rounded-control border border-line bg-surface-1 p-1 shadow-float"
        >
          <Radix.Viewport>
            {none !== undefined && <Choice value={NONE} label={none} />}
            {[...groups].map(([group, some]) => (
              <Radix.Group key={group}>
                {group !== '' && <Radix.Label className="px-2 pt-2 pb-1 text-small text-ink-2">{group}</Radix.Label>}
                {some.map((choice) => (
                  <Choice key={choice.value} {...choice} />
                ))}
              </Radix.Group>
            ))}
            {more !== undefined && <Choice value={MORE} label={more.label} />}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

// A letter jumps to a choice here, so it is no shortcut of the page.
function keepLetters(event: KeyboardEvent) {
  if (/^[\p{L}\p{N}]$/u.test(event.key) && !event.ctrlKey && !event.metaKey) event.stopPropagation()
}

function Choice({ value, label }: SelectChoice) {
  return (
    <Radix.Item
      value={value}
      className="flex items-center justify-between gap-4 rounded-control px-2 py-1 outline-none data-highlighted:bg-surface-2"
    >
      <span className="truncate">
        <Radix.ItemText>{label}</Radix.ItemText>
      </span>
      <Radix.ItemIndicator>
        <Check aria-hidden className="size-3.5" />
      </Radix.ItemIndicator>
    </Radix.Item>
  )
}

type PickOneProps = {
  readonly label: string
  readonly any: string
  readonly value: string | undefined
  readonly choices: readonly (readonly [value: string, word: string])[]
  readonly onChange: (value: string | undefined) => void
}

/** Shows a value that is not in the list too, so that it can be removed. */
export function PickOne({ label, any, value, choices, onChange }: PickOneProps) {
  const isKnown = value === undefined || choices.some(([one]) => one === value)
  const all = isKnown ? choices : [[value, value] as const, ...choices]
  return (
    <Select
      aria-label={label}
      none={any}
      value={value ?? ''}
      choices={all.map(([one, label]) => ({ value: one, label: label }))}
      onChange={(next) => onChange(next === '' ? undefined : next)}
      className="max-w-48"
    />
  )
}

/** A chosen one that was deleted stays listed, because pulls fail without it. */
export function RegistrySelect({ value, onChange, ...rest }: ControlProps<string>) {
  const { client } = useApp()
  const { data } = useQuery(read(client, ['registries'], 'registryList'))
  const stored = data?.registries.map(({ name, server }) => ({ value: name, label: `${name} (${server})` })) ?? []
  const isStored = stored.some((one) => one.value === value)
  const unknown = { value, label: data === undefined ? value : `${value} (not stored)` }
  const choices = value === '' || isStored ? stored : [...stored, unknown]
  return <Select {...rest} choices={choices} none="none" value={value} onChange={onChange} />
}
