import clsx from 'clsx'
import { ChevronDown } from 'lucide-react'
import { useRef, useState } from 'react'
import { takesFile, takesOthers, takesSeveral } from '../../../../src-main/domain/workflow/input-type.ts'
import { isArray, type JsonValue } from '../../../../src-main/domain/workflow/json/value.ts'
import { ChoiceList } from './ChoiceList.tsx'
import { type Choice, type ControlProps, choicesOf, choiceText, frameOf, isChosen, withChoice } from './widget-kind.ts'

/** What is chosen, with a list of what can be. */
export type ChoiceFieldProps = Pick<ControlProps, 'id' | 'name' | 'label' | 'size'> & {
  /** What is chosen, as text; nothing where nothing is. */
  readonly word: string
  readonly isWrong?: boolean
  readonly problemId?: string | undefined
  readonly choices: () => readonly Choice[]
  readonly isChosen: (value: JsonValue) => boolean
  /** What is typed can be chosen too, where nobody knows all values. */
  readonly takesOthers?: boolean
  /** Several can be chosen, so the list stays. */
  readonly several?: boolean
  readonly onChoose: (value: JsonValue) => void
}

/**
 * A choice of a list. The list is made when it is opened: it can have thousands, and there can be thousands of fields.
 */
export function ChoiceField(props: ChoiceFieldProps) {
  const { id, name, label, size, word, isWrong = false, problemId, choices, isChosen, onChoose } = props
  const { takesOthers = false, several = false } = props
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const listId = `${id}-list`
  return (
    <>
      <button
        ref={button}
        id={id}
        type="button"
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-controls={isOpen ? listId : undefined}
        aria-label={name}
        aria-invalid={isWrong}
        aria-describedby={problemId}
        title={word}
        onClick={() => setOpen(true)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          setOpen(true)
        }}
        className={clsx(frameOf(size), 'nodrag w-full text-left aria-invalid:border-failed')}
      >
        {size === 'node' && <span className="max-w-1/2 shrink-0 truncate text-ink-2">{label}</span>}
        <span className={clsx('min-w-0 flex-1 truncate', size === 'node' && 'text-right')}>
          {word === '' ? <span className="text-ink-2">choose</span> : word}
        </span>
        <ChevronDown aria-hidden className="size-3 shrink-0 text-ink-2" />
      </button>
      {isOpen && (
        <ChoiceList
          listId={listId}
          name={name}
          anchor={button}
          choices={choices()}
          isChosen={isChosen}
          takesOthers={takesOthers}
          onChoose={(choice) => {
            onChoose(choice)
            if (!several) setOpen(false)
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

/** One of the values that its class names, or several. */
export function ChoiceWidget({ id, name, label, input, size, widget, problemId, isWrong, set }: ControlProps) {
  const { value } = widget
  const several = takesSeveral(input)
  return (
    <ChoiceField
      id={id}
      name={name}
      label={label}
      size={size}
      word={isArray(value) ? value.map(choiceText).join(', ') : choiceText(value)}
      isWrong={isWrong}
      problemId={problemId}
      choices={() => choicesOf(input)}
      isChosen={(choice) => isChosen(value, choice)}
      // A worker may have files that nobody here knows.
      takesOthers={takesOthers(input) || takesFile(input)}
      several={several}
      onChoose={(choice) => set(several ? withChoice(value, choice) : choice)}
    />
  )
}
