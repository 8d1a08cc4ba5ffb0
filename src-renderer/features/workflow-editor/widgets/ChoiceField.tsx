import clsx from 'clsx'
import { ChevronDown } from 'lucide-react'
import { useRef, useState } from 'react'
import { takesFile, takesOthers, takesSeveral } from '../../../../src-main/features/workflows/rules/input-type.ts'
import { isArray, type JsonValue } from '../../../../src-main/lib/json/value.ts'
import { ChoiceList } from './ChoiceList.tsx'
import { type Choice, type ControlProps, choicesOf, choiceText, frameOf, isChosen, withChoice } from './widget-kind.ts'

export type ChoiceFieldProps = Pick<ControlProps, 'id' | 'name' | 'label' | 'size'> & {
  readonly word: string
  readonly isWrong?: boolean
  readonly problemId?: string | undefined
  readonly choices: () => readonly Choice[]
  readonly isChosen: (value: JsonValue) => boolean
  readonly takesOthers?: boolean
  readonly several?: boolean
  readonly onChoose: (value: JsonValue) => void
}

/** The list is built when opened: there can be thousands of choices and of fields. */
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
      // A worker may have files that are unknown here.
      takesOthers={takesOthers(input) || takesFile(input)}
      several={several}
      onChoose={(choice) => set(several ? withChoice(value, choice) : choice)}
    />
  )
}
