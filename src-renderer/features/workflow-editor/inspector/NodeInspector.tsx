import { Layers } from 'lucide-react'
import { useMemo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import {
  type GraphNode,
  SUBGRAPH_INPUT,
  SUBGRAPH_OUTPUT,
  type WorkflowDocument,
} from '../../../../src-main/features/workflows/rules/document/document.ts'
import { linkById, nodeById } from '../../../../src-main/features/workflows/rules/document/index-of.ts'
import { graphAt } from '../../../../src-main/features/workflows/rules/edit/graph-at.ts'
import { setTitle } from '../../../../src-main/features/workflows/rules/edit/node-fields.ts'
import { createNodeViewer } from '../../../../src-main/features/workflows/rules/graph-view.ts'
import { isMissing, type NodeView } from '../../../../src-main/features/workflows/rules/node-view.ts'
import { payloadIdOf } from '../../../../src-main/features/workflows/rules/payload-ids.ts'
import { asText } from '../../../../src-main/lib/json/plain.ts'
import { isArray, isObject, type JsonValue, writeJson } from '../../../../src-main/lib/json/value.ts'
import { keepStart } from '../../../../src-main/lib/text.ts'
import { Button, CopyButton } from '../../../ui/Button.tsx'
import { slotColour } from '../graph/colours.ts'
import { shownInputs } from '../graph/geometry.ts'
import { NoteBody } from '../notes/NoteBody.tsx'
import type { FoundProblem } from '../problems/find-problems.ts'
import { ProblemItem } from '../problems/ProblemsPanel.tsx'
import { useNodeProblems } from '../problems/use-problems.ts'
import { addressOf, type EditorState, nodeTitle, useEditor, useTab } from '../store/editor-store.ts'
import { NodeWidgets } from '../widgets/NodeWidgets.tsx'
import { Section, StyleFields, TextField } from './InspectorFields.tsx'

export function NodeInspector({ node, view }: SelectedNode) {
  const { editor } = useTab()
  const payloadId = useEditor((state) => payloadIdOf(state.document, state.path, view.id))
  const type = useEditor((state) => state.types.get(node.type ?? ''))
  const isNote = view.kind === 'note' || view.kind === 'markdown'
  return (
    <>
      <div className="flex flex-col gap-2 px-3 py-3">
        <TextField
          key={payloadId}
          label="Title"
          value={view.title}
          style="h-8 text-section font-semibold"
          onChange={(text) => {
            const state = editor.getState()
            const title = text.trim() === '' ? undefined : text
            const rename = (document: WorkflowDocument) => setTitle(document, addressOf(state), view.id, title)
            state.edit(`Rename ${view.title}`, rename, `title ${payloadId}`)
          }}
        />
        <div className="flex items-center gap-1 text-small text-ink-2">
          <span className="min-w-0 truncate">{view.kind === 'subgraph' ? 'Subgraph' : (node.type ?? '')}</span>
          <span aria-hidden>·</span>
          <span className="font-mono">{payloadId}</span>
          <CopyButton text={payloadId} what="id" />
        </div>
        {isMissing(view) && (
          <p className="text-small text-warn-ink">
            The selected endpoint does not have this class.
            {view.kind === 'unknown' && ' Only values that are named in the file are sent.'}
          </p>
        )}
        {type !== undefined && type.description !== '' && <p className="text-ink-2">{type.description}</p>}
        <StyleFields views={[view]} />
        {view.kind === 'subgraph' && (
          <Button className="self-start" onClick={() => editor.getState().enter(view.id)}>
            <Layers aria-hidden /> Open the subgraph
          </Button>
        )}
      </div>
      <NodeProblems view={view} payloadId={payloadId} />
      {isNote ? (
        <Section title="Text">
          <NoteBody view={view} />
        </Section>
      ) : (
        view.widgets.length > 0 && (
          <Section title="Values">
            <NodeWidgets view={view} payloadId={payloadId} size="panel" />
          </Section>
        )
      )}
      <SlotList view={view} />
      <Models properties={node.properties} />
      <Properties properties={node.properties} />
    </>
  )
}

const OF_VALUES: ReadonlySet<FoundProblem['code']> = new Set<FoundProblem['code']>([
  'value_not_in_list',
  'value_smaller_than_min',
  'value_bigger_than_max',
  'wrong_value_type',
])

function NodeProblems({ view, payloadId }: { readonly view: NodeView; readonly payloadId: string }) {
  // Problems of a value are shown at its widget.
  const problems = useNodeProblems(payloadId).filter(({ code, node, input }) => {
    const widget = node === payloadId ? view.widgets.find(({ name }) => name === input) : undefined
    const isEmpty = code === 'required_input_missing' && widget?.value === null
    return widget === undefined || !(OF_VALUES.has(code) || isEmpty)
  })
  if (problems.length === 0) return null
  return (
    <ul className="flex flex-col gap-1 border-t border-line px-3 py-2 text-small">
      {problems.map((problem) => (
        <ProblemItem key={`${problem.code} ${problem.node} ${problem.input}`} problem={problem} />
      ))}
    </ul>
  )
}

function Models({ properties }: { readonly properties: JsonValue | undefined }) {
  const listed = isObject(properties) ? properties.get('models') : undefined
  const models = isArray(listed) ? listed.filter(isObject) : []
  if (models.length === 0) return null
  return (
    <Section title="Required models">
      <ul className="flex flex-col gap-2">
        {models.map((model) => {
          const [name, url, directory] = ['name', 'url', 'directory'].map((key) => asText(model.get(key)))
          return (
            <li key={`${directory}/${name}`} className="text-small">
              <p className="font-medium break-words">{name}</p>
              <p className="break-all text-ink-2">
                {directory !== undefined && `for the folder ${directory}`}
                {url !== undefined && `, from ${url}`}
              </p>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}

const LONGEST = 400

function Properties({ properties }: { readonly properties: JsonValue | undefined }) {
  const entries = isObject(properties) ? [...properties].filter(([key]) => key !== 'models') : []
  if (entries.length === 0) return null
  return (
    <details className="border-t border-line px-3 py-3">
      <summary className="cursor-pointer font-semibold">Properties</summary>
      <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-small">
        {entries.map(([key, value]) => {
          const text = asText(value) ?? writeJson(value)
          return (
            <div key={key} className="col-span-2 grid grid-cols-subgrid">
              <dt className="text-ink-2">{key}</dt>
              <dd className="font-mono break-all">{keepStart(text, LONGEST)}</dd>
            </div>
          )
        })}
      </dl>
    </details>
  )
}

export type SelectedNode = { readonly node: GraphNode; readonly view: NodeView }

const NONE: readonly GraphNode[] = []

export function useSelected(): readonly SelectedNode[] {
  const nodes = useEditor(useShallow(selectedNodes))
  // Views of subgraph nodes and primitives depend on other nodes too.
  const document = useEditor((state) => (nodes.length === 0 ? undefined : state.document))
  const path = useEditor((state) => state.path)
  const types = useEditor((state) => state.types)
  const viewer = useMemo(createNodeViewer, [])
  return useMemo(() => {
    const graph = document && graphAt(document, addressOf({ document, path }))
    if (document === undefined || graph === undefined) return []
    return nodes.map((node) => ({ node, view: viewer({ document, graph, types }, node) }))
  }, [nodes, document, path, types, viewer])
}

function selectedNodes(state: EditorState): readonly GraphNode[] {
  if (state.selection.size === 0) return NONE
  const graph = graphAt(state.document, addressOf(state))
  return graph === undefined ? NONE : [...state.selection].flatMap((id) => nodeById(graph, id) ?? [])
}

function SlotList({ view }: { readonly view: NodeView }) {
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
