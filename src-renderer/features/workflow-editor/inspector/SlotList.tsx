import { SUBGRAPH_INPUT, SUBGRAPH_OUTPUT } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { linkById, nodeById } from '../../../../src-main/features/workflows/rules/document/index-of.ts'
import { graphAt } from '../../../../src-main/features/workflows/rules/edit/graph-at.ts'
import type { NodeView } from '../../../../src-main/features/workflows/rules/node-view.ts'
import { slotColour } from '../graph/colours.ts'
import { shownInputs } from '../graph/geometry.ts'
import { addressOf, type EditorState, nodeTitle, useEditor, useTab } from '../store/editor-store.ts'
import { Section } from './InspectorFields.tsx'

export function SlotList({ view }: { readonly view: NodeView }) {
  const inputs = shownInputs(view)
  return (
    <>
      {inputs.length > 0 && (
        <Section title="Inputs">
          <ul className="flex flex-col gap-1">
            {inputs.map(({ name, label, type, link, isOptional }) => (
              <li key={name} className="flex flex-wrap items-baseline gap-x-2">
                <SlotName label={label} type={type} />
                {link === undefined ? (
                  <span className={isOptional ? 'text-small text-ink-2' : 'text-small text-warn-ink'}>
                    {isOptional ? 'not linked (optional)' : 'not linked yet'}
                  </span>
                ) : (
                  <LinkEnd link={link} side="from" />
                )}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {view.outputs.length > 0 && (
        <Section title="Outputs">
          <ul className="flex flex-col gap-1">
            {view.outputs.map(({ at, label, type, links }) => (
              <li key={at} className="flex flex-wrap items-baseline gap-x-2">
                <SlotName label={label} type={type} />
                {links.length === 0 && <span className="text-small text-ink-2">not linked</span>}
                {links.slice(0, SHOWN).map((link) => (
                  <LinkEnd key={link} link={link} side="to" />
                ))}
                {links.length > SHOWN && <span className="text-small text-ink-2">and {links.length - SHOWN} more</span>}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  )
}

const SHOWN = 20

function SlotName({ label, type }: { readonly label: string; readonly type: string }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <span aria-hidden className="size-2 shrink-0 rounded-full" style={{ backgroundColor: slotColour(type) }} />
      <span className="truncate">{label}</span>
      <span className="truncate text-small text-ink-2">{type}</span>
    </span>
  )
}

function LinkEnd({ link, side }: { readonly link: string; readonly side: 'from' | 'to' }) {
  const { editor } = useTab()
  const title = useEditor((state) => endOf(state, link, side)?.title)
  return (
    <button
      type="button"
      onClick={() => {
        const state = editor.getState()
        const id = endOf(state, link, side)?.id
        if (id !== undefined) state.reveal(state.path, [id])
      }}
      className="truncate text-small text-accent hover:underline"
    >
      {side} {title ?? 'a missing node'}
    </button>
  )
}

function endOf(state: EditorState, linkId: string, side: 'from' | 'to') {
  const graph = graphAt(state.document, addressOf(state))
  const id = graph && linkById(graph, linkId)?.[side].node
  if (graph === undefined || id === undefined) return undefined
  if (id === SUBGRAPH_INPUT || id === SUBGRAPH_OUTPUT) return { id, title: 'outside of this subgraph' }
  const node = nodeById(graph, id)
  return node && { id, title: nodeTitle(state, node) }
}
