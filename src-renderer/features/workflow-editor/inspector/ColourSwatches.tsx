import clsx from 'clsx'
import { setColour } from '../../../../src-main/domain/workflow/edit/node-fields.ts'
import type { NodeView } from '../../../../src-main/domain/workflow/view/node-view.ts'
import { useTab } from '../store/editor-context.ts'
import { addressOf } from '../store/editor-store.ts'
import { hasColour, NODE_PALETTE } from './node-palette.ts'

/** The colours that nodes can be given, to choose one for all of these. */
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
  )
}
