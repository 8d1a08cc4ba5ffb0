import clsx from 'clsx'
import type { ReactNode } from 'react'
import { type NodeMode, setColour, setMode } from '../../../../src-main/features/workflows/rules/edit/node-fields.ts'
import type { NodeView } from '../../../../src-main/features/workflows/rules/node-view.ts'
import { asText } from '../../../../src-main/lib/json/plain.ts'
import { CONTROL } from '../../../ui/form/Field.tsx'
import { SegmentedChoice } from '../../../ui/Tabs.tsx'
import { hasColour, NODE_PALETTE } from '../graph/colours.ts'
import { addressOf, useTab } from '../store/editor-store.ts'
import { useTyping } from '../widgets/use-typing.ts'

const MODES = { always: 'Runs', mute: 'Muted', bypass: 'Bypassed' } as const satisfies Record<NodeMode, string>
const MODE_NAMES = Object.values(MODES)
const WHAT: Readonly<Record<Exclude<NodeMode, 'always'>, string>> = {
  mute: 'Skipped, with all nodes that depend on it.',
  bypass: 'Skipped; its inputs pass through to the next nodes.',
}

export function StyleFields({ views }: { readonly views: readonly NodeView[] }) {
  const { editor } = useTab()
  const ids = new Set(views.map(({ id }) => id))
  const [first] = views
  const mode = views.every((one) => one.mode === first?.mode) ? first?.mode : undefined
  const what = views.length === 1 ? (first?.title ?? '') : `${views.length} nodes`
  const choose = (name: string) => {
    const chosen = (Object.keys(MODES) as readonly NodeMode[]).find((one) => MODES[one] === name)
    const state = editor.getState()
    if (chosen !== undefined)
      state.edit(`${name}: ${what}`, (document) => setMode(document, addressOf(state), ids, chosen))
  }
  return (
    <div className="flex flex-col gap-2">
      <div>
        <SegmentedChoice
          label="Mode"
          choices={MODE_NAMES}
          value={(mode === undefined ? '' : MODES[mode]) as (typeof MODE_NAMES)[number]}
          onChange={choose}
        />
        {mode !== 'always' && (
          <p className="mt-1 text-small text-ink-2">{mode === undefined ? 'Mixed.' : WHAT[mode]}</p>
        )}
      </div>
      <ColourSwatches views={views} />
    </div>
  )
}

export function ColourSwatches({ views }: { readonly views: readonly NodeView[] }) {
  const { editor } = useTab()
  const ids = new Set(views.map(({ id }) => id))
  const what = views.length === 1 ? (views[0]?.title ?? '') : `${views.length} nodes`
  return (
    <fieldset className="flex flex-wrap gap-1">
      <legend className="sr-only">Colour</legend>
      {NODE_PALETTE.map((colour) => {
        const isChosen = views.every((view) => hasColour(view, colour))
        return (
          <button
            key={colour.name}
            type="button"
            aria-pressed={isChosen}
            aria-label={`Colour ${colour.name}`}
            title={colour.name}
            onClick={() => {
              const state = editor.getState()
              state.edit(`Colour ${what}`, (document) => setColour(document, addressOf(state), ids, colour))
            }}
            style={{ backgroundColor: colour.bgcolor, borderTopColor: colour.color }}
            className={clsx(
              'size-6 rounded-control border border-line-strong',
              colour.bgcolor === undefined && 'bg-surface-2',
              isChosen && 'outline-2 outline-offset-1 outline-accent',
            )}
          />
        )
      })}
    </fieldset>
  )
}

type SectionProps = { readonly title: string; readonly aside?: ReactNode; readonly children: ReactNode }

export function Section({ title, aside, children }: SectionProps) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2 border-t border-line px-3 py-3 first:border-t-0">
      <div className="flex items-center gap-2">
        <h3 className="flex-1 font-semibold">{title}</h3>
        {aside}
      </div>
      {children}
    </section>
  )
}

type TextFieldProps = {
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  readonly style?: string
  readonly onChange: (text: string) => void
}

export function TextField({ label, value, placeholder, style = 'h-7', onChange }: TextFieldProps) {
  const { editor } = useTab()
  const typing = useTyping({
    value,
    show: (given) => asText(given) ?? '',
    // While it is empty, somebody is about to type; an empty text takes effect when the field is left.
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
      className={clsx(CONTROL, 'w-full min-w-0', style)}
    />
  )
}
