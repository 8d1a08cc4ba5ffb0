import clsx from 'clsx'
import { type NodeMode, setColour, setMode } from '../../../../src-main/domain/workflow/edit/node-fields.ts'
import type { NodeView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import { SegmentedChoice } from '../../../ui/SegmentedChoice.tsx'
import { useTab } from '../store/editor-context.ts'
import { addressOf } from '../store/editor-store.ts'
import { hasColour, NODE_PALETTE } from './node-palette.ts'

const MODES = { always: 'Runs', mute: 'Muted', bypass: 'Bypassed' } as const satisfies Record<NodeMode, string>
const WORDS = Object.values(MODES)
const WHAT: Readonly<Record<Exclude<NodeMode, 'always'>, string>> = {
  mute: 'Left out, and with it all that needs it.',
  bypass: 'Left out; what comes in goes on to who is behind it.',
}

/** Whether nodes take part in runs, and their colour. */
export function LookFields({ views }: { readonly views: readonly NodeView[] }) {
  const { editor } = useTab()
  const ids = new Set(views.map(({ id }) => id))
  const [first] = views
  const mode = views.every((one) => one.mode === first?.mode) ? first?.mode : undefined
  const what = views.length === 1 ? (first?.title ?? '') : `${views.length} nodes`
  const choose = (word: string) => {
    const chosen = (Object.keys(MODES) as readonly NodeMode[]).find((one) => MODES[one] === word)
    const state = editor.getState()
    if (chosen !== undefined)
      state.edit(`${word}: ${what}`, (document) => setMode(document, addressOf(state), ids, chosen))
  }
  return (
    <div className="flex flex-col gap-2">
      <div>
        <SegmentedChoice
          label="Mode"
          choices={WORDS}
          value={(mode === undefined ? '' : MODES[mode]) as (typeof WORDS)[number]}
          onChange={choose}
        />
        {mode !== 'always' && (
          <p className="mt-1 text-small text-ink-2">{mode === undefined ? 'They differ.' : WHAT[mode]}</p>
        )}
      </div>
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
              // Colours of documents, which every editor of the field shows the same.
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
    </div>
  )
}
