import { setSlot } from '../../../../src-main/features/workflows/rules/edit/widgets.ts'
import { type JsonValue, sameJson } from '../../../../src-main/features/workflows/rules/json/value.ts'
import { isDrawn, type NodeView, type WidgetView } from '../../../../src-main/features/workflows/rules/node-view.ts'
import { addressOf, useEditor, useTab } from '../store/editor-store.ts'
import { BareWidget } from '../widgets/BareWidget.tsx'
import { classesText, countClasses, DocumentSummary } from './DocumentSummary.tsx'
import { Section, StyleFields } from './InspectorFields.tsx'
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
