import { useQueryClient } from '@tanstack/react-query'
import clsx from 'clsx'
import { type KeyboardEvent, useState } from 'react'
import { type ServiceSettings, serviceSettings } from '../../../src-main/contract/management.ts'
import { settingsQuery } from '../../api-client/system-queries.ts'
import { useApp } from '../../store/app-context.ts'
import { CONTROL, Toggle } from '../../ui/form/Field.tsx'
import { FormRow } from '../../ui/form/FormRow.tsx'
import { SegmentedChoice } from '../../ui/Tabs.tsx'
import { SETTING_TEXTS } from './setting-texts.ts'

export type SettingRowProps = {
  readonly name: keyof ServiceSettings
  readonly settings: ServiceSettings
  readonly save: SaveSetting
}

export function SettingRow({ name, settings, save }: SettingRowProps) {
  const { label, help, refusal } = SETTING_TEXTS[name]
  const [problem, setProblem] = useState<string>()
  const value = settings[name]
  const change = async (next: unknown) => {
    const parsed = serviceSettings.shape[name].safeParse(next)
    if (!parsed.success) return setProblem(refusal)
    setProblem(undefined)
    if (parsed.data !== value) setProblem(await save(name, parsed.data as never))
  }
  return (
    <FormRow label={label} help={help} problem={problem}>
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

type SaveSetting = <Name extends keyof ServiceSettings>(
  name: Name,
  value: ServiceSettings[Name],
) => Promise<string | undefined>

export function useSaveSetting(): SaveSetting {
  const { client, store } = useApp()
  const queries = useQueryClient()
  return async (name, value) => {
    const { queryKey } = settingsQuery(client)
    const before = queries.getQueryData(queryKey)
    const show = (settings: ServiceSettings | undefined) => queries.setQueryData(queryKey, settings)
    const send = async (next: unknown) => show(await client.call('settingsUpdate', { body: { [name]: next } }))
    const { notify } = store.getState()
    const refused = (error: unknown) => notify({ kind: 'error', text: (error as Error).message })
    if (before !== undefined) show({ ...before, [name]: value })
    try {
      await send(value)
    } catch (error) {
      show(before)
      return (error as Error).message
    }
    const undo = () => void send(before?.[name]).catch(refused)
    const text = `${SETTING_TEXTS[name].done} saved.`
    notify({ kind: 'done', text, ...(before === undefined ? {} : { undo }) })
    return undefined
  }
}
