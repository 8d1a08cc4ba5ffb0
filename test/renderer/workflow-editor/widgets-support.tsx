/** Parts of the editor with an open document, drawn as the pages do. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import { typesIn } from '../../../src-main/features/workflows/rules/classes-file.ts'
import { readDocument, writeDocument } from '../../../src-main/features/workflows/rules/document/document.ts'
import { type NodeTypes, readNodeTypes } from '../../../src-main/features/workflows/rules/node-types.ts'
import { type NodeView, nodeView } from '../../../src-main/features/workflows/rules/node-view.ts'
import { parseJson } from '../../../src-main/lib/json/parse.ts'
import { isObject, type JsonObject, writeJson } from '../../../src-main/lib/json/value.ts'
import {
  createEditorStore,
  type EditorStore,
  TabContext,
  useTab,
} from '../../../src-renderer/features/workflow-editor/store/editor-store.ts'
import { createRunStore } from '../../../src-renderer/features/workflow-editor/store/run-store.ts'
import { NodeWidgets } from '../../../src-renderer/features/workflow-editor/widgets/NodeWidgets.tsx'
import type { WidgetSize } from '../../../src-renderer/features/workflow-editor/widgets/widget-kind.ts'
import { renderInApp, type TestAnswers } from '../support.tsx'

/** The object of a JSON text. */
function objectOf(text: string): JsonObject {
  const parsed = parseJson(text)
  if (!isObject(parsed)) throw new Error(`no object: ${text.slice(0, 80)}`)
  return parsed
}

const NODE_TYPES = join(import.meta.dirname, '..', '..', '..', 'resources', 'node-types.json')
let known: NodeTypes | undefined

/** The classes that come along, with more of a test. @param more JSON as GET /object_info gives it */
export function typesWith(more = '{}'): NodeTypes {
  known ??= typesIn(readFileSync(NODE_TYPES, 'utf8'))
  return new Map([...known, ...readNodeTypes(objectOf(more))])
}

/** A document of these nodes, in version 0.4. @param nodes JSON of each, without what every node has */
export function documentOf(nodes: readonly string[], more = ''): string {
  const all = nodes.map((node, at) => {
    const usual = `"pos":[${at * 300},0],"size":[270,200],"flags":{},"order":${at},"mode":0,"properties":{}`
    return node.replace(/}$/, `,${usual}}`)
  })
  return `{"last_node_id":99,"last_link_id":99,"nodes":[${all.join(',')}],"links":[],"groups":[],"extra":{},"version":0.4${more}}`
}

/** Draws a part of the editor with a document. */
export function renderInEditor(
  part: ReactNode,
  text: string,
  { types = typesWith(), answers = {} as TestAnswers } = {},
) {
  const editor = createEditorStore(readDocument(objectOf(text)), types)
  const runs = createRunStore()
  const tab = { workflowId: 'w'.repeat(12), editor, runs }
  const modelList = { models: [], more: false, revision: 0 }
  const rest = renderInApp(<TabContext value={tab}>{part}</TabContext>, { modelList, ...answers })
  const written = () => writeJson(writeDocument(editor.getState().document))
  return { ...rest, editor, runs, tab, written }
}

/** The view of a node of the outermost graph, as it is now. */
export function useView(editor: EditorStore, id: string): NodeView {
  const { document, types } = useStore(editor)
  const node = document.nodes.items.find((one) => one.id === id)
  if (node === undefined) throw new Error(`no node ${id}`)
  return nodeView(node, { type: types.get(node.type ?? ''), subgraph: undefined })
}

type WidgetsOptions = {
  readonly types?: NodeTypes
  readonly answers?: TestAnswers
  readonly size?: WidgetSize
  /** Other nodes and links. */
  readonly more?: readonly string[]
  readonly links?: string
}

/** Draws the widgets of node 1. */
export function renderWidgets(node: string, { size, more = [], links = '', ...options }: WidgetsOptions = {}) {
  const text = documentOf([node, ...more]).replace('"links":[],"groups"', `"links":[${links}],"groups"`)
  return renderInEditor(<Widgets {...(size === undefined ? {} : { size })} />, text, options)
}

function Widgets(props: { readonly size?: WidgetSize }) {
  return <NodeWidgets view={useView(useTab().editor, '1')} payloadId="1" {...props} />
}
