import clsx from 'clsx'
import { useId } from 'react'
import { CONTROL, type ControlIds } from '../../../ui/form/control.ts'
import { RegistrySelect } from '../../../ui/form/RegistrySelect.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { Toggle } from '../../../ui/form/Toggle.tsx'
import { VariablesField } from '../../../ui/form/VariablesField.tsx'
import { BrowsedPath } from '../../../ui/path/BrowsedPath.tsx'
import { ServerField } from '../../../ui/servers/ServerField.tsx'
import type { Pair, Raw, SettingInput } from './setting-input.ts'

/** The control of a setting. */
export type SettingControlProps = ControlIds & {
  readonly input: SettingInput
  readonly raw: Raw
  readonly onType: (raw: Raw) => void
  readonly disabled: boolean
}

const MOST_LINES = 12

/** Draws the control that fits the kind of the setting. */
export function SettingControl({ input, raw, onType, disabled, ...ids }: SettingControlProps) {
  switch (input.kind) {
    case 'switch':
      return (
        <Toggle
          id={ids.id}
          aria-describedby={ids['aria-describedby']}
          checked={raw === true}
          onChange={onType}
          disabled={disabled}
        />
      )
    case 'variables':
      return <VariablesField {...ids} value={raw as readonly Pair[]} onChange={onType} disabled={disabled} />
    case 'choice':
      return (
        <Select
          {...ids}
          choices={input.choices}
          {...(input.optional === true ? { none: 'none' } : {})}
          value={String(raw)}
          onChange={onType}
          disabled={disabled}
        />
      )
    case 'registry':
      return <RegistrySelect {...ids} value={String(raw)} onChange={onType} disabled={disabled} />
    case 'server':
      return <ServerField {...ids} value={String(raw)} onChange={onType} disabled={disabled} />
    case 'path':
      return (
        <BrowsedPath
          {...ids}
          wants={input.wants}
          title={input.title}
          value={String(raw)}
          onChange={onType}
          disabled={disabled}
        />
      )
    case 'lines':
      return (
        <textarea
          {...ids}
          value={String(raw)}
          onChange={(event) => onType(event.target.value)}
          disabled={disabled}
          rows={Math.min(MOST_LINES, Math.max(2, String(raw).split('\n').length))}
          spellCheck={false}
          className={clsx(CONTROL, 'resize-y py-1 font-mono text-small')}
        />
      )
    case 'number':
      return (
        <span className="flex items-center gap-2">
          <input
            {...ids}
            value={String(raw)}
            onChange={(event) => onType(event.target.value)}
            disabled={disabled}
            inputMode="decimal"
            autoComplete="off"
            className={clsx(CONTROL, 'h-7 w-28 text-right')}
          />
          <span className="text-ink-2">{input.unit}</span>
        </span>
      )
    case 'text':
      return <TextControl {...ids} input={input} raw={String(raw)} onType={onType} disabled={disabled} />
  }
}

type OfText = ControlIds & {
  readonly raw: string
  readonly onType: (raw: string) => void
  readonly disabled: boolean
}

function TextControl({ input, raw, onType, ...rest }: OfText & { readonly input: SettingInput & { kind: 'text' } }) {
  const list = useId()
  const { suggestions, mono } = input
  return (
    <>
      <input
        {...rest}
        value={raw}
        onChange={(event) => onType(event.target.value)}
        list={suggestions === undefined ? undefined : list}
        autoComplete="off"
        spellCheck={false}
        className={clsx(
          CONTROL,
          'h-7',
          mono === true && 'font-mono text-small',
          suggestions !== undefined && 'max-w-80',
        )}
      />
      {suggestions !== undefined && (
        <datalist id={list}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  )
}
