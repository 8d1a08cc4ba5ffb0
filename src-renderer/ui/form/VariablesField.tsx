import clsx from 'clsx'
import { Eye, EyeOff, Plus, X } from 'lucide-react'
import { type ClipboardEvent, useState } from 'react'
import { parseEnvFile } from '../../../src-main/lib/env-file.ts'
import { Button, IconButton } from '../Button.tsx'
import { CONTROL, type ControlProps } from './Field.tsx'

export type Variable = { readonly name: string; readonly value: string }

/** Values are hidden at first, because they may be secrets and screens are shared. */
export function VariablesField({ id, value, onChange, disabled = false, ...said }: ControlProps<readonly Variable[]>) {
  const [shown, setShown] = useState(false)
  const change = (at: number, row: Partial<Variable>) =>
    onChange(value.map((one, index) => (index === at ? { ...one, ...row } : one)))
  const paste = (event: ClipboardEvent, at: number) => {
    const pasted = readEnvFile(event.clipboardData.getData('text'))
    if (pasted === undefined) return
    event.preventDefault()
    onChange([...value.slice(0, at), ...pasted, ...value.slice(at + 1)])
  }
  return (
    <div id={id} className="flex flex-col gap-1.5">
      {value.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no name of its own while its name is typed
        <div key={at} className="flex items-center gap-1.5">
          <input
            {...said}
            aria-label={`Name of variable ${at + 1}`}
            value={row.name}
            disabled={disabled}
            onChange={(event) => change(at, { name: event.target.value })}
            onPaste={(event) => paste(event, at)}
            placeholder="NAME"
            autoComplete="off"
            spellCheck={false}
            className={clsx(CONTROL, 'h-7 min-w-0 flex-2 font-mono text-small')}
          />
          <input
            aria-label={`Value of ${row.name || `variable ${at + 1}`}`}
            type={shown ? 'text' : 'password'}
            value={row.value}
            disabled={disabled}
            onChange={(event) => change(at, { value: event.target.value })}
            placeholder="value"
            autoComplete="off"
            spellCheck={false}
            className={clsx(CONTROL, 'h-7 min-w-0 flex-3 font-mono text-small')}
          />
          <IconButton
            label={`Remove ${row.name || `variable ${at + 1}`}`}
            disabled={disabled}
            onClick={() => onChange(value.filter((_row, index) => index !== at))}
          >
            <X />
          </IconButton>
        </div>
      ))}
      <div className="flex gap-1.5">
        <Button disabled={disabled} onClick={() => onChange([...value, { name: '', value: '' }])}>
          <Plus aria-hidden /> Add variable
        </Button>
        {value.length > 0 && (
          <Button kind="quiet" aria-pressed={shown} onClick={() => setShown(!shown)}>
            {shown ? <EyeOff aria-hidden /> : <Eye aria-hidden />} {shown ? 'Hide values' : 'Show values'}
          </Button>
        )}
      </div>
    </div>
  )
}

/** @returns undefined if the text is no `.env` file, like a single word */
export function readEnvFile(text: string): readonly Variable[] | undefined {
  const variables = Object.entries(parseEnvFile(text)).map(([name, value]) => ({ name, value }))
  return variables.length === 0 || NO_VARIABLE.test(text) ? undefined : variables
}

const NO_VARIABLE = /^(?!\s*#)[^='"\n]*[^\s='"][^='"\n]*$/m
