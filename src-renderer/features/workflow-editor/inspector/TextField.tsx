import clsx from 'clsx'
import { asText } from '../../../../src-main/domain/workflow/json/value.ts'
import { CONTROL } from '../../../ui/form/control.ts'
import { useTab } from '../store/editor-context.ts'
import { useTyping } from '../widgets/use-typing.ts'

/** A line of text of the document, like a title. */
export type TextFieldProps = {
  readonly label: string
  readonly value: string
  /** Stands there while it is empty. */
  readonly placeholder?: string
  /** Its height and letters. */
  readonly look?: string
  /** Takes a text over, as part of one step of undo until the field is left. */
  readonly onChange: (text: string) => void
}

/** A field for a line of text of the document. */
export function TextField({ label, value, placeholder, look = 'h-7', onChange }: TextFieldProps) {
  const { editor } = useTab()
  const typing = useTyping({
    value,
    show: (given) => asText(given) ?? '',
    // While it is empty somebody is about to write: what an empty text means is done when the field is left.
    read: (text) => (text === '' ? undefined : text),
    write: (given) => onChange(asText(given) ?? ''),
    end: () => editor.getState().endStep(),
  })
  return (
    <input
      aria-label={label}
      placeholder={placeholder}
      autoComplete="off"
      value={typing.text}
      onChange={({ target }) => typing.type(target.value)}
      onBlur={() => {
        if (typing.text === '' && value !== '') onChange('')
        typing.leave()
      }}
      onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
        if (key === 'Enter') currentTarget.blur()
        else if (ctrlKey || metaKey) typing.flush()
      }}
      className={clsx(CONTROL, 'w-full min-w-0', look)}
    />
  )
}
