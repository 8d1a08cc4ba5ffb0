import { useMemo } from 'react'
import { subgraphsOf } from '../../../../src-main/domain/workflow/document/document.ts'
import { setGraphName } from '../../../../src-main/domain/workflow/edit/boundary.ts'
import { graphAt } from '../../../../src-main/domain/workflow/edit/graph-at.ts'
import { useEditor, useTab } from '../store/editor-context.ts'
import { addressOf } from '../store/editor-store.ts'
import { BoundarySlots } from './BoundarySlots.tsx'
import { Section } from './Section.tsx'
import { countClasses } from './summarise.ts'
import { TextField } from './TextField.tsx'

const SHOWN = 50

/** The graph that is shown, while nothing in it is selected. */
export function DocumentSummary() {
  const { editor } = useTab()
  const document = useEditor((state) => state.document)
  const path = useEditor((state) => state.path)
  const types = useEditor((state) => state.types)
  const subgraphs = useMemo(() => subgraphsOf(document), [document])
  const address = addressOf({ document, path })
  const graph = graphAt(document, address)
  const subgraph = address === undefined ? undefined : subgraphs.get(address)
  const nodes = graph?.nodes
  const classes = useMemo(
    () => (nodes === undefined ? [] : countClasses(nodes.items, types, subgraphs)),
    [nodes, types, subgraphs],
  )
  if (graph === undefined) return null
  const counts = [
    ['Nodes', graph.nodes.items.length],
    ['Links', graph.links.items.length],
    ['Groups', graph.groups.items.length],
    ...(subgraph === undefined ? ([['Subgraphs', subgraphs.size]] as const) : []),
  ] as const
  return (
    <>
      <div className="flex flex-col gap-2 px-3 py-3">
        {address === undefined ? (
          <h2 className="text-section font-semibold">The whole graph</h2>
        ) : (
          <TextField
            key={address}
            label="Name of the subgraph"
            value={subgraph?.name ?? ''}
            look="h-8 text-section font-semibold"
            onChange={(name) =>
              editor
                .getState()
                .edit('Rename the subgraph', (now) => setGraphName(now, address, name), `graph name ${address}`)
            }
          />
        )}
        <dl className="grid grid-cols-4 gap-2">
          {counts.map(([name, count]) => (
            <div key={name}>
              <dt className="text-small text-ink-2">{name}</dt>
              <dd className="text-section">{count.toLocaleString('en')}</dd>
            </div>
          ))}
        </dl>
        <p className="text-ink-2">
          {graph.nodes.items.length === 0
            ? 'Nothing in it yet. Double click the canvas to add a node.'
            : 'Select a node to see and set all of its values here.'}
        </p>
      </div>
      {subgraph !== undefined && <BoundarySlots subgraph={subgraph} side="inputs" />}
      {subgraph !== undefined && <BoundarySlots subgraph={subgraph} side="outputs" />}
      {classes.length > 0 && (
        <Section title="Classes">
          <ul className="flex flex-col">
            {classes.slice(0, SHOWN).map(({ type, title, ids }) => (
              <li key={type}>
                <button
                  type="button"
                  title={`Select ${ids.length === 1 ? 'it' : 'them'}`}
                  onClick={() => editor.getState().reveal(path, ids)}
                  className="flex h-7 w-full items-center gap-2 rounded-control px-1 text-left hover:bg-surface-2"
                >
                  <span className="min-w-0 flex-1 truncate">{title}</span>
                  <span className="text-ink-2">{ids.length.toLocaleString('en')}</span>
                </button>
              </li>
            ))}
          </ul>
          {classes.length > SHOWN && <p className="text-small text-ink-2">and {classes.length - SHOWN} classes more</p>}
        </Section>
      )}
    </>
  )
}
