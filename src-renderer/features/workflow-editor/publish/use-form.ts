import { useMemo } from 'react'
import type { WorkflowDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import type { NodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { readPayloadNodes } from '../../../../src-main/features/workflows/rules/payload.ts'
import { formOf, withForm } from '../../../../src-main/features/workflows/rules/publish/app-form.ts'
import { type GraphForm, suggestParameter } from '../../../../src-main/features/workflows/rules/publish/graph-form.ts'
import { toResolvedPayload } from '../../../../src-main/features/workflows/rules/resolve/resolve.ts'
import type { JsonObject } from '../../../../src-main/lib/json/value.ts'
import { useApp } from '../../../store/app-context.ts'
import { useEditor, useTab } from '../store/editor-store.ts'

export function useChangeForm() {
  const { platform } = useApp()
  const { editor } = useTab()
  return (label: string, change: (form: GraphForm) => GraphForm, merge?: string) => {
    const { edit, types } = editor.getState()
    const changed = (document: WorkflowDocument) => {
      const { payload } = toResolvedPayload(document, types, platform.now())
      return withForm(document, change(formOf(document, payload, types)))
    }
    edit(label, changed, merge)
  }
}

export type Exposable = ReturnType<typeof useExposable>

export function useExposable() {
  const { platform } = useApp()
  const document = useEditor((state) => state.document)
  const types = useEditor((state) => state.types)
  return useMemo(() => {
    const { payload, problems } = toResolvedPayload(document, types, platform.now())
    const form = formOf(document, payload, types)
    return { payload, problems, form, inputs: exposableInputs(payload, types), results: resultNodes(payload, types) }
  }, [document, types, platform])
}

function exposableInputs(payload: JsonObject, types: NodeTypes) {
  return readPayloadNodes(payload).flatMap(({ id, classType, title, inputs }) =>
    [...inputs.keys()].flatMap((input) => {
      const suggestion = suggestParameter(payload, types, { node: id, input })
      return 'parameter' in suggestion ? [{ title: title ?? classType, suggestion: suggestion.parameter }] : []
    }),
  )
}

function resultNodes(payload: JsonObject, types: NodeTypes) {
  return readPayloadNodes(payload)
    .filter(({ classType }) => types.get(classType)?.isOutput === true)
    .map(({ id, classType, title }) => ({ id, title: title ?? classType }))
}
