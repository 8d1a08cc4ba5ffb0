import clsx from 'clsx'
import { ChevronDown } from 'lucide-react'
import { useRef, useState } from 'react'
import { isArray } from '../../../../src-main/domain/workflow/json/value.ts'
import { takesOthers, takesSeveral } from '../../../../src-main/domain/workflow/node-types.ts'
import { ChoiceList } from './ChoiceList.tsx'
import { choicesOf, choiceWord, isChosen, withChoice } from './choices.ts'
import { type ControlProps, frameOf } from './control-props.ts'
import { takesFile } from './widget-kind.ts'

/** One of the values that its class names, or several. The list is made when it is opened: it can have thousands. */
export function ChoiceWidget({ id, name, label, input, size, widget, faultId, isWrong, set }: ControlProps) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const { value } = widget
  const listId = `${id}-list`
  const several = takesSeveral(input)
  const word = isArray(value) ? value.map(choiceWord).join(', ') : choiceWord(value)
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
        aria-describedby={faultId}
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
          choices={choicesOf(input)}
          isChosen={(choice) => isChosen(value, choice)}
          // A worker may have files that nobody here knows.
          takesOthers={takesOthers(input) || takesFile(input)}
          onChoose={(choice) => {
            set(several ? withChoice(value, choice) : choice)
            if (!several) setOpen(false)
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
