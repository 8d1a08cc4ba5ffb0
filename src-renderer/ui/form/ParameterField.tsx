import { useState } from 'react'
import type { GraphParameter } from '../../../src-main/contract/published.ts'
import { valueProblem } from '../../../src-main/features/workflows/rules/publish/parameter-values.ts'
import { parseJson } from '../../../src-main/lib/json/parse.ts'
import { isNumber, type JsonValue, writeJson } from '../../../src-main/lib/json/value.ts'
import { CONTROL, type ControlIds, Labelled, Toggle } from './Field.tsx'
import { Select } from './Select.tsx'

export type ParameterFieldProps = {
  readonly parameter: GraphParameter
  /** Undefined: the default. A number that is incomplete is the typed text. */
  readonly value: JsonValue | undefined
  readonly onChange: (value: JsonValue | undefined) => void
  readonly onFile: (file: File) => void
}

export function ParameterField(props: ParameterFieldProps) {
  const { parameter, value } = props
  const problem = value === undefined ? undefined : valueProblem(parameter, value)
  return (
    <Labelled
      label={parameter.title ?? parameter.name}
      hint={hintOf(parameter)}
      problem={problem && `${parameter.name} ${problem}.`}
    >
      {(ids) => <Control {...props} ids={ids} />}
    </Labelled>
  )
}

function hintOf({ help, type, min, max }: GraphParameter): string {
  const range = min !== undefined && max !== undefined ? `${min} to ${max}` : (min ?? max)
  const kind = KINDS[type]
  return [help, range === undefined ? kind : `${kind}, ${range}`].filter(Boolean).join(' ')
}

const KINDS = { string: '', integer: 'Whole number', number: 'Number', boolean: '', choice: '', image: 'Picture' }

const LONG_TEXT = 60
const LINES = 4

type ControlProps = ParameterFieldProps & { readonly ids: ControlIds }

function Control(props: ControlProps) {
  const { parameter, value, onChange, ids } = props
  if (parameter.type === 'boolean') return <Toggle {...ids} checked={value === true} onChange={onChange} />
  if (parameter.type === 'choice') {
    const choices = (parameter.choices ?? []).map((choice) => ({ value: choice, label: choice }))
    return <Select {...ids} choices={choices} value={textOf(value)} onChange={onChange} />
  }
  if (parameter.type === 'image') return <PictureControl {...props} />
  if (parameter.type === 'string')
    return (
      <textarea
        {...ids}
        rows={textOf(value).length > LONG_TEXT || parameter.name.includes('prompt') ? LINES : 1}
        value={textOf(value)}
        onChange={({ target }) => onChange(target.value)}
        className={`${CONTROL} min-h-7 resize-y py-1`}
      />
    )
  return (
    <input
      {...ids}
      inputMode="numeric"
      autoComplete="off"
      value={textOf(value)}
      onChange={({ target }) => onChange(numberOf(target.value))}
      className={`${CONTROL} h-7 font-mono`}
    />
  )
}

function PictureControl({ ids, value, onFile }: ControlProps) {
  const given = textOf(value)
  const [name, setName] = useState<string>()
  return (
    <div className="flex min-w-0 items-center gap-2">
      <input
        {...ids}
        type="file"
        accept="image/*"
        onChange={({ target }) => {
          const file = target.files?.[0]
          if (file === undefined) return
          setName(file.name)
          onFile(file)
        }}
      />
      {name === undefined && given !== '' && (
        <span className="truncate text-small text-ink-2">{given.slice(0, 60)}</span>
      )}
    </div>
  )
}

// Text that is no JSON number, like 007, stays text: as a number it would make the document unreadable.
function numberOf(text: string): JsonValue | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const parsed = parseJson(trimmed)
  return isNumber(parsed) ? parsed : text
}

function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return ''
  if (isNumber(value)) return value.number
  return typeof value === 'string' ? value : writeJson(value)
}
