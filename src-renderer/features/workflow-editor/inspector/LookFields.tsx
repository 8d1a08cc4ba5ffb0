import { type NodeMode, setMode } from '../../../../src-main/domain/workflow/edit/node-fields.ts'
import type { NodeView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import { SegmentedChoice } from '../../../ui/SegmentedChoice.tsx'
import { useTab } from '../store/editor-context.ts'
import { addressOf } from '../store/editor-store.ts'
import { ColourSwatches } from './ColourSwatches.tsx'

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
      <ColourSwatches views={views} />
    </div>
  )
}
