import { useState } from 'react'
import { CONTROL } from '../../../ui/form/Field.tsx'
import { NAME_MAX } from './add-workflow.ts'

export type NameFieldProps = {
  readonly name: string
  readonly onName: (name: string) => void
  /** @param how `key` gives focus to the named item; `left` leaves it elsewhere */
  readonly onEnd: (how: 'key' | 'left') => void
}

export function NameField({ name, onName, onEnd }: NameFieldProps) {
  const [text, setText] = useState(name)
  const commit = (how: 'key' | 'left') => {
    const changed = text.trim()
    if (changed !== '' && changed !== name) onName(changed)
    onEnd(how)
  }
  return (
    <input
      aria-label={`New name of ${name}`}
      value={text}
      maxLength={NAME_MAX}
      // biome-ignore lint/a11y/noAutofocus: it stands in the place of what was pressed
      autoFocus
      onFocus={(event) => event.target.select()}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => commit('left')}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit('key')
        if (event.key === 'Escape') onEnd('key')
      }}
      className={`${CONTROL} h-6 w-full px-1`}
    />
  )
}
