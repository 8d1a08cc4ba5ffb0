import { useMemo } from 'react'
import {
  type GraphNode,
  type Subgraph,
  subgraphsOf,
  type WorkflowDocument,
} from '../../../../src-main/features/workflows/rules/document/document.ts'
import {
  renameBoundarySlot,
  type Side,
  setGraphName,
} from '../../../../src-main/features/workflows/rules/edit/boundary.ts'
import { graphAt } from '../../../../src-main/features/workflows/rules/edit/graph-at.ts'
import { setSlot } from '../../../../src-main/features/workflows/rules/edit/widgets.ts'
import type { NodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { isDrawn, type NodeView, type WidgetView } from '../../../../src-main/features/workflows/rules/node-view.ts'
import { type JsonValue, sameJson } from '../../../../src-main/lib/json/value.ts'
import { slotColour } from '../graph/colours.ts'
import { addressOf, useEditor, useTab } from '../store/editor-store.ts'
import { BareWidget } from '../widgets/BareWidget.tsx'
import { Section, StyleFields, TextField } from './InspectorFields.tsx'
import { NodeInspector, type SelectedNode, useSelected } from './NodeInspector.tsx'

export function Inspector() {
  const selected = useSelected()
  const [only] = selected
  return (
    <section aria-label="Inspector" className="min-h-0 min-w-0 flex-1 overflow-y-auto bg-surface-1">
      {selected.length > 1 ? (
        <SeveralNodes selected={selected} />
      ) : only !== undefined ? (
        <NodeInspector {...only} />
      ) : (
        <DocumentSummary />
      )}
    </section>
  )
}

// Each is an edit of the graph; with more, a key takes too long.
const MOST = 100

function SeveralNodes({ selected }: { readonly selected: readonly SelectedNode[] }) {
  const { editor } = useTab()
  const types = useEditor((state) => state.types)
  const definitions = useEditor((state) => state.document.definitions)
  const views = selected.map(({ view }) => view)
  const subgraphs = new Map(definitions?.subgraphs.items.map((one) => [one.id ?? '', one]))
  const nodes = selected.map(({ node }) => node)
  const classes = countClasses(nodes, types, subgraphs)
  const common = views.length > MOST ? [] : commonWidgets(views)
  const set = ({ name, kind }: WidgetView, value: JsonValue, merge?: string) => {
    const state = editor.getState()
    const at = addressOf(state)
    const change = (document: typeof state.document) =>
      selected.reduce(
        (changed, { view }) => setSlot(changed, at, { node: view.id, name, kind, value, types: state.types }),
        document,
      )
    state.edit(`Set ${name} of ${views.length} nodes`, change, merge)
  }
  return (
    <>
      <div className="flex flex-col gap-2 px-3 py-3">
        <h2 className="text-section font-semibold">{views.length.toLocaleString('en')} nodes</h2>
        <p className="text-ink-2">{classesText(classes)}</p>
        <StyleFields views={views} />
      </div>
      {views.length > MOST && classes.length === 1 && (
        <p className="px-3 pb-3 text-small text-ink-2">
          Select at most {MOST} nodes of a class to set their values at once.
        </p>
      )}
      {common.length > 0 && (
        <Section title="Shared values">
          {common.map(({ widget, isSame }) => (
            <BareWidget
              key={`${widget.kind} ${widget.name}`}
              widget={widget}
              of={`${views.length} nodes`}
              note={isSame ? undefined : 'Values differ; the first is shown. A change applies to all.'}
              set={(value) => {
                editor.getState().endStep()
                set(widget, value)
              }}
              write={(value) => set(widget, value, `widgets ${widget.kind} ${widget.name}`)}
              end={() => editor.getState().endStep()}
            />
          ))}
        </Section>
      )}
    </>
  )
}

function commonWidgets(views: readonly NodeView[]) {
  const [first, ...others] = views
  if (first === undefined) return []
  return first.widgets.flatMap((widget) => {
    if (widget.isLinked || !isDrawn(widget)) return []
    const same = others.map(({ widgets }) =>
      widgets.find(
        ({ name, kind, input, isLinked }) =>
          name === widget.name && kind === widget.kind && input === widget.input && !isLinked,
      ),
    )
    if (widget.input === undefined || same.some((one) => one === undefined)) return []
    return [{ widget, isSame: same.every((one) => sameJson(one?.value, widget.value)) }]
  })
}

const SHOWN = 50

function DocumentSummary() {
  const { edit, reveal } = useTab().editor.getState()
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
            style="h-8 text-section font-semibold"
            onChange={(name) =>
              edit('Rename the subgraph', (now) => setGraphName(now, address, name), `graph name ${address}`)
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
            ? 'The graph is empty. Double-click the canvas to add a node.'
            : 'Select a node to see and edit its values here.'}
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
                  onClick={() => reveal(path, ids)}
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

function BoundarySlots({ subgraph, side }: { readonly subgraph: Subgraph; readonly side: Side }) {
  const { edit } = useTab().editor.getState()
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
              onChange={(text) => {
                const rename = (now: WorkflowDocument) => renameBoundarySlot(now, id, { side, slot, label: text })
                edit(`Rename ${name}`, rename, `boundary ${id} ${side} ${slot}`)
              }}
            />
            <span className="max-w-24 shrink-0 truncate text-small text-ink-2">{type}</span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function countClasses(nodes: readonly GraphNode[], types: NodeTypes, subgraphs: ReadonlyMap<string, Subgraph>) {
  return [...Map.groupBy(nodes, ({ type = '' }) => type)]
    .map(([type, found]) => ({
      type,
      title: subgraphs.get(type)?.name ?? types.get(type)?.displayName ?? type,
      ids: found.map(({ id = '' }) => id),
    }))
    .sort((one, other) => other.ids.length - one.ids.length || one.title.localeCompare(other.title))
}

const NAMED = 4

function classesText(counts: ReturnType<typeof countClasses>): string {
  const named = counts
    .slice(0, NAMED)
    .map(({ title, ids }) => (ids.length === 1 ? title : `${ids.length} × ${title}`))
    .join(', ')
  return counts.length > NAMED ? `${named} and ${counts.length - NAMED} classes more` : named
}
