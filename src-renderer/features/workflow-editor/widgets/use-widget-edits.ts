import { useMemo } from 'react'
import type { WorkflowDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { demoteWidget, promoteWidget } from '../../../../src-main/features/workflows/rules/edit/promote.ts'
import { inputToWidget, setSlot, widgetToInput } from '../../../../src-main/features/workflows/rules/edit/widgets.ts'
import type { NodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import type { WidgetView } from '../../../../src-main/features/workflows/rules/node-view.ts'
import type { JsonValue } from '../../../../src-main/lib/json/value.ts'
import { addressOf, useEditor, useTab } from '../store/editor-store.ts'

export type WidgetEdits = ReturnType<typeof useWidgetEdits>

export function useWidgetEdits(node: string, { name, kind }: Pick<WidgetView, 'name' | 'kind'>, what: string) {
  const { editor } = useTab()
  const path = useEditor((state) => state.path)
  return useMemo(() => {
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
      set(value: JsonValue) {
        editor.getState().endStep()
        put(value)
      },
      write: (value: JsonValue) => put(value, `widget ${node} ${kind} ${name}`),
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
