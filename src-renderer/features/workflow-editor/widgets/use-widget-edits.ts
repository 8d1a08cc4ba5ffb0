import { useMemo } from 'react'
import type { WorkflowDocument } from '../../../../src-main/domain/workflow/document/document.ts'
import { demoteWidget, promoteWidget } from '../../../../src-main/domain/workflow/edit/promote.ts'
import { inputToWidget, setSlot, widgetToInput } from '../../../../src-main/domain/workflow/edit/widgets.ts'
import type { JsonValue } from '../../../../src-main/domain/workflow/json/value.ts'
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import type { WidgetView } from '../../../../src-main/domain/workflow/node-view.ts'
import { addressOf, useEditor, useTab } from '../store/editor-store.ts'

/** What is done with a widget of the open document. The functions stay the same as long as node and widget do. */
export type WidgetEdits = {
  /** As a step of undo. */
  readonly set: (value: JsonValue) => void
  /** While somebody types or drags: one step until `end`. */
  readonly write: (value: JsonValue) => void
  readonly end: () => void
  readonly toInput: () => void
  readonly toWidget: () => void
  /** Shows it on the nodes with the subgraph that it is within; undefined in the outermost graph. */
  readonly promote: (() => void) | undefined
  /** Takes it off the node with the subgraph that it is shown on. */
  readonly demote: () => void
}

/**
 * Edits of a widget of a node of the graph that is shown.
 * @param what its words, for the list of what can be undone
 */
export function useWidgetEdits(
  node: string,
  { name, kind }: Pick<WidgetView, 'name' | 'kind'>,
  what: string,
): WidgetEdits {
  const { editor } = useTab()
  const path = useEditor((state) => state.path)
  return useMemo(() => {
    // Of the graph that the widget is of: what was typed is taken over when the node leaves the sight, too.
    const at = addressOf({ document: editor.getState().document, path })
    const edit = (
      label: string,
      change: (document: WorkflowDocument, types: NodeTypes) => WorkflowDocument,
      merge?: string,
    ) => {
      const state = editor.getState()
      state.edit(label, (document) => change(document, state.types), merge)
    }
    const put = (value: JsonValue, merge?: string) =>
      edit(`Set ${what}`, (document, types) => setSlot(document, at, { node, name, kind, value, types }), merge)
    return {
      set(value) {
        editor.getState().endStep()
        put(value)
      },
      write: (value) => put(value, `widget ${node} ${kind} ${name}`),
      end: () => editor.getState().endStep(),
      toInput: () =>
        edit(`Make ${what} an input`, (document, types) => widgetToInput(document, at, { node, name, types })),
      toWidget: () => edit(`Make ${what} a widget`, (document) => inputToWidget(document, at, { node, name })),
      promote:
        at === undefined
          ? undefined
          : () =>
              edit(`Show ${what} on the subgraph`, (document, types) =>
                promoteWidget(document, { definition: at, node, widget: name, types }, () => crypto.randomUUID()),
              ),
      demote: () =>
        edit(`Hide ${what}`, (document, types) => demoteWidget(document, at, { host: node, key: name, types })),
    }
  }, [editor, path, node, name, kind, what])
}
