import clsx from 'clsx'
import { type KeyboardEvent, useState } from 'react'
import { type ServiceSettings, serviceSettings } from '../../../src-main/contract/management.ts'
import { CONTROL } from '../../ui/form/control.ts'
import { FormRow } from '../../ui/form/FormRow.tsx'
import { Toggle } from '../../ui/form/Toggle.tsx'
import { SegmentedChoice } from '../../ui/SegmentedChoice.tsx'
import { SETTING_TEXTS } from './setting-texts.ts'
import type { SaveSetting } from './use-save-setting.ts'

/** One setting. */
export type SettingRowProps = {
  readonly name: keyof ServiceSettings
  readonly settings: ServiceSettings
  readonly save: SaveSetting
}

/** A setting with its control: switches save at once, fields when they are left or with Enter. */
export function SettingRow({ name, settings, save }: SettingRowProps) {
  const { label, help, refusal } = SETTING_TEXTS[name]
  const [fault, setFault] = useState<string>()
  const value = settings[name]
  const change = async (next: unknown) => {
    const parsed = serviceSettings.shape[name].safeParse(next)
    if (!parsed.success) return setFault(refusal)
    setFault(undefined)
    if (parsed.data !== value) setFault(await save(name, parsed.data as never))
  }
  return (
    <FormRow label={label} help={help} fault={fault}>
      {(ids) => {
        if (typeof value === 'boolean') return <Toggle {...ids} checked={value} onChange={(on) => void change(on)} />
        if (name === 'streamForm')
          return (
            <div className="flex h-7 items-center" id={ids.id}>
              <SegmentedChoice
                label={label}
                choices={['array', 'object']}
                value={settings.streamForm}
                onChange={(form) => void change(form)}
              />
            </div>
          )
        return <TypedValue {...ids} key={String(value)} value={value} onChange={(next) => void change(next)} />
      }}
    </FormRow>
  )
}

type TypedValueProps = {
  readonly id: string
  readonly value: number | string
  readonly onChange: (value: number | string) => void
}

function TypedValue({ value, onChange, ...ids }: TypedValueProps) {
  const [text, setText] = useState(String(value))
  const isNumber = typeof value === 'number'
  const take = () => onChange(isNumber ? (text.trim() === '' ? Number.NaN : Number(text)) : text.trim())
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') take()
    if (event.key === 'Escape') setText(String(value))
  }
  return (
    <input
      {...ids}
      value={text}
      inputMode={isNumber ? 'numeric' : 'text'}
      onChange={(event) => setText(event.target.value)}
      onBlur={take}
      onKeyDown={onKeyDown}
      autoComplete="off"
      spellCheck={false}
      className={clsx(CONTROL, 'h-7', isNumber ? 'w-24' : 'w-80 max-w-full font-mono text-small')}
    />
  )
}
