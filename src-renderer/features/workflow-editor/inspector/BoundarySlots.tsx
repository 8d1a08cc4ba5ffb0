import type { Subgraph } from '../../../../src-main/domain/workflow/document/document.ts'
import { renameBoundarySlot, type Side } from '../../../../src-main/domain/workflow/edit/boundary.ts'
import { slotColour } from '../canvas/slot-colour.ts'
import { useTab } from '../store/editor-context.ts'
import { Section } from './Section.tsx'
import { TextField } from './TextField.tsx'

/** The inputs or outputs of the subgraph that is shown, with what they are called on its nodes. */
export function BoundarySlots({ subgraph, side }: { readonly subgraph: Subgraph; readonly side: Side }) {
  const { editor } = useTab()
  const { id = '' } = subgraph
  const slots = subgraph[side].items
  if (slots.length === 0) return null
  return (
    <Section title={side === 'inputs' ? 'Inputs' : 'Outputs'}>
      <ul className="flex flex-col gap-1">
        {slots.map(({ id: slotId, name = '', label, type }, slot) => (
          <li key={slotId ?? name} className="flex items-center gap-1.5">
            <span aria-hidden className="size-2 shrink-0 rounded-full" style={{ backgroundColor: slotColour(type) }} />
            <TextField
              label={`Label of ${name}`}
              value={label ?? ''}
              placeholder={name}
              onChange={(text) =>
                editor
                  .getState()
                  .edit(
                    `Rename ${name}`,
                    (document) => renameBoundarySlot(document, id, { side, slot, label: text }),
                    `boundary ${id} ${side} ${slot}`,
                  )
              }
            />
            <span className="max-w-24 shrink-0 truncate text-small text-ink-2">{type}</span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
