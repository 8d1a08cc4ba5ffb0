import { setPlace } from '../../../../src-main/domain/workflow/edit/widgets.ts'
import type { JsonValue } from '../../../../src-main/domain/workflow/json/value.ts'
import { useEditor, useTab } from '../store/editor-context.ts'
import { addressOf } from '../store/editor-store.ts'
import { BareWidget } from '../widgets/BareWidget.tsx'
import { commonWidgets } from './common-widgets.ts'
import { LookFields } from './LookFields.tsx'
import { Section } from './Section.tsx'
import { classesInWords, countClasses } from './summarise.ts'
import type { SelectedNode } from './use-selected.ts'

// Each is an edit of the graph; of more of them a key would take longer than one should.
const MOST = 100

/** Several nodes: what they have in common, set for all of them at once. */
export function SeveralNodes({ selected }: { readonly selected: readonly SelectedNode[] }) {
  const { editor } = useTab()
  const types = useEditor((state) => state.types)
  const definitions = useEditor((state) => state.document.definitions)
  const views = selected.map(({ view }) => view)
  const subgraphs = new Map(definitions?.subgraphs.items.map((one) => [one.id ?? '', one]))
  const classes = countClasses(
    selected.map(({ node }) => node),
    types,
    subgraphs,
  )
  const common = views.length > MOST ? [] : commonWidgets(views)
  const set = (name: string, kind: 'input' | 'control' | 'filter', value: JsonValue, merge?: string) => {
    const state = editor.getState()
    const at = addressOf(state)
    const change = (document: typeof state.document) =>
      selected.reduce(
        (changed, { view }) => setPlace(changed, at, { node: view.id, name, kind, value, types: state.types }),
        document,
      )
    state.edit(`Set ${name} of ${views.length} nodes`, change, merge)
  }
  return (
    <>
      <div className="flex flex-col gap-2 px-3 py-3">
        <h2 className="text-section font-semibold">{views.length.toLocaleString('en')} nodes</h2>
        <p className="text-ink-2">{classesInWords(classes)}</p>
        <LookFields views={views} />
      </div>
      {views.length > MOST && classes.length === 1 && (
        <p className="px-3 pb-3 text-small text-ink-2">
          Select at most {MOST} nodes of a class to set their values at once.
        </p>
      )}
      {common.length > 0 && (
        <Section title="Values of all of them">
          {common.map(({ widget, isSame }) => (
            <BareWidget
              key={`${widget.kind} ${widget.name}`}
              widget={widget}
              of={`${views.length} nodes`}
              note={isSame ? undefined : 'They differ: this is the value of the first. A change sets all of them.'}
              set={(value) => {
                editor.getState().endStep()
                set(widget.name, widget.kind, value)
              }}
              write={(value) => set(widget.name, widget.kind, value, `widgets ${widget.kind} ${widget.name}`)}
              end={() => editor.getState().endStep()}
            />
          ))}
        </Section>
      )}
    </>
  )
}
