import clsx from 'clsx'
import { Undo2 } from 'lucide-react'
import { useId } from 'react'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import {
  type Raw,
  type SettingField,
  type SettingInput,
  settingText,
  valueAt,
} from '../../../../src-main/features/endpoints/rules/settings/setting.ts'
import { CONTROL, type ControlIds, Datalist, Toggle } from '../../../ui/form/Field.tsx'
import { FormRow } from '../../../ui/form/FormRow.tsx'
import { MachineSelect } from '../../../ui/form/MachineSelect.tsx'
import { BrowsedPath } from '../../../ui/form/PathField.tsx'
import { RegistrySelect, Select } from '../../../ui/form/Select.tsx'
import { ServerField } from '../../../ui/form/ServerField.tsx'
import { type Variable, VariablesField } from '../../../ui/form/VariablesField.tsx'
import { shownRaw } from './settings-draft.ts'
import type { SettingsForm } from './use-settings.ts'

export type SettingRowProps = {
  readonly endpoint: LiveEndpoint
  readonly field: SettingField
  readonly form: SettingsForm
  readonly readOnly: boolean
}

export function SettingRow({ endpoint, field, form, readOnly }: SettingRowProps) {
  const { path, label, help, input, missing } = field
  const { draft, read } = form
  const touched = path in draft
  const conflict = read.conflicts[path]
  return (
    <FormRow
      label={label}
      // A choice names its default itself.
      help={missing === undefined || input.kind === 'choice' ? help : `${help} Default: ${missing}.`}
      problem={read.faults[path]}
      changed={touched}
      aside={
        touched && (
          <p className="flex flex-wrap items-center gap-x-2 text-small">
            {conflict === undefined ? (
              <span className="text-ink-2">was {settingText(field, valueAt(endpoint, path))}</span>
            ) : (
              <span role="alert" className="text-warn-ink">
                It was set to {conflict} meanwhile.
                <Way onClick={() => form.keepMine(path)}>Keep mine</Way>
              </span>
            )}
            <Way onClick={() => form.revert(path)}>
              <Undo2 aria-hidden className="size-3.5" /> {conflict === undefined ? 'Revert' : 'Take theirs'}
              <span className="sr-only"> {label}</span>
            </Way>
          </p>
        )
      }
    >
      {(ids) => (
        <SettingControl
          {...ids}
          field={field}
          raw={shownRaw(field, endpoint, draft)}
          onType={(raw) => form.type(field, raw)}
          disabled={readOnly}
        />
      )}
    </FormRow>
  )
}

function Way({ onClick, children }: { readonly onClick: () => void; readonly children: React.ReactNode }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="ml-1 inline-flex items-center gap-1 rounded-control text-accent hover:underline"
    >
      {children}
    </button>
  )
}

type SettingControlProps = ControlIds & {
  readonly field: SettingField
  readonly raw: Raw
  readonly onType: (raw: Raw) => void
  readonly disabled: boolean
}

const MOST_LINES = 12

function SettingControl({ field: { input, missing }, raw, onType, disabled, ...ids }: SettingControlProps) {
  switch (input.kind) {
    case 'switch':
      return <Toggle {...ids} checked={raw === true} onChange={onType} disabled={disabled} />
    case 'variables':
      return <VariablesField {...ids} value={raw as readonly Variable[]} onChange={onType} disabled={disabled} />
    case 'choice':
      return (
        <Select
          {...ids}
          choices={input.choices}
          {...(missing === undefined ? {} : { none: `Default: ${missing}` })}
          value={String(raw)}
          onChange={onType}
          disabled={disabled}
        />
      )
    case 'registry':
      return <RegistrySelect {...ids} value={String(raw)} onChange={onType} disabled={disabled} />
    case 'machine':
      return <MachineSelect {...ids} value={String(raw)} onChange={onType} disabled={disabled} />
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
      {suggestions !== undefined && <Datalist id={list} values={suggestions} />}
    </>
  )
}
