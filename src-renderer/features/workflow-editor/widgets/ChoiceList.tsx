import * as Popover from '@radix-ui/react-popover'
import { useVirtualizer } from '@tanstack/react-virtual'
import clsx from 'clsx'
import { Check } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import type { JsonValue } from '../../../../src-main/lib/json/value.ts'
import { type Choice, findChoices } from './widget-kind.ts'

export type ChoiceListProps = {
  readonly listId: string
  readonly name: string
  readonly anchor: RefObject<HTMLElement | null>
  readonly choices: readonly Choice[]
  readonly isChosen: (value: JsonValue) => boolean
  readonly takesOthers: boolean
  readonly onChoose: (value: JsonValue) => void
  readonly onClose: () => void
}

const ROW_PX = 28
const PAGE = 10
// Number of rows; the list keeps its height during a search.
const SHOWN = 9
// From this number of choices there is a search; fewer are seen at a glance.
const SEARCHED_FROM = 8

export function ChoiceList({ anchor, onClose, ...rest }: ChoiceListProps) {
  const field = useRef<HTMLInputElement>(null)
  return (
    <Popover.Root open onOpenChange={(open) => !open && onClose()}>
      <Popover.Anchor virtualRef={anchor as RefObject<HTMLElement>} />
      <Popover.Portal>
        <Popover.Content
          aria-label={rest.name}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            field.current?.focus()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            anchor.current?.focus()
          }}
          className="enters z-40 flex max-h-80 w-72 flex-col rounded-control border border-line bg-surface-1 p-1 shadow-float"
        >
          <Choices field={field} {...rest} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

type ChoicesProps = Omit<ChoiceListProps, 'anchor' | 'onClose'> & { readonly field: RefObject<HTMLInputElement | null> }

// A separate component, because rows are measured in their scroller, which mounts a moment later.
function Choices({ field, listId, name, choices, isChosen, takesOthers, onChoose }: ChoicesProps) {
  const [search, setSearch] = useState('')
  const found = useMemo(() => {
    const some = findChoices(choices, search)
    const typed = search.trim()
    const isNew = takesOthers && typed !== '' && !some.some(({ word }) => word === typed)
    return isNew ? [{ value: typed, word: typed }, ...some] : some
  }, [choices, search, takesOthers])
  const [active, setActive] = useState(() => {
    const chosen = choices.findIndex(({ value }) => isChosen(value))
    return Math.max(0, chosen)
  })
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: found.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, to where what is chosen is
  useEffect(() => rows.scrollToIndex(active, { align: 'center' }), [])
  const go = (to: number) => {
    const next = Math.min(found.length - 1, Math.max(0, to))
    setActive(next)
    rows.scrollToIndex(next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = found[active]
    const way: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE }
    const by = way[event.key]
    if (by !== undefined) go(active + by)
    else if (event.key === 'Enter' && chosen !== undefined) onChoose(chosen.value)
    else return
    event.preventDefault()
  }
  const optionId = (at: number) => `${listId}-${at}`
  return (
    <>
      <input
        ref={field}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={found.length === 0 ? undefined : optionId(active)}
        aria-label={`Search ${name}`}
        autoComplete="off"
        spellCheck={false}
        placeholder={takesOthers && choices.length === 0 ? 'Type a name' : 'Search'}
        value={search}
        onChange={({ target }) => {
          setSearch(target.value)
          setActive(0)
          rows.scrollToOffset(0)
        }}
        className={clsx(
          'mb-1 h-7 shrink-0 rounded-control bg-surface-2 px-2 outline-none placeholder:text-ink-2',
          // The field receives the keys even while it is invisible.
          choices.length < SEARCHED_FROM && !takesOthers && 'sr-only',
        )}
      />
      {found.length === 0 && (
        <p className="px-2 py-1 text-small text-ink-2">
          {search === ''
            ? 'The values are not known here. Type one.'
            : `Nothing matches “${search}”. Use fewer letters.`}
        </p>
      )}
      <div
        ref={scroller}
        id={listId}
        role="listbox"
        aria-label={name}
        className="min-h-0 overflow-y-auto"
        style={{ height: Math.min(Math.max(choices.length, found.length), SHOWN) * ROW_PX }}
      >
        <div className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const choice = found[index]
            return (
              choice && (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field of the search has the focus and takes the keys
                <div
                  key={choice.word}
                  id={optionId(index)}
                  role="option"
                  tabIndex={-1}
                  aria-selected={isChosen(choice.value)}
                  aria-setsize={found.length}
                  aria-posinset={index + 1}
                  title={choice.word}
                  onClick={() => onChoose(choice.value)}
                  onPointerMove={() => active !== index && setActive(index)}
                  style={{ transform: `translateY(${start}px)` }}
                  className={clsx(
                    'absolute inset-x-0 top-0 flex h-7 cursor-pointer items-center gap-1.5 rounded-control px-2',
                    index === active && 'bg-surface-2',
                  )}
                >
                  <span className="min-w-0 flex-1 truncate">{choice.word === '' ? '(empty)' : choice.word}</span>
                  {choice.detail !== undefined && <span className="text-small text-ink-2">{choice.detail}</span>}
                  {isChosen(choice.value) && <Check aria-hidden className="size-4 shrink-0 text-accent" />}
                </div>
              )
            )
          })}
        </div>
      </div>
    </>
  )
}
