import { useMemo } from 'react'
import type { NodeTypes } from '../../../../src-main/features/workflows/rules/node-types.ts'
import { readPayloadNodes } from '../../../../src-main/features/workflows/rules/payload.ts'
import {
  type GraphForm,
  readForm,
  suggestParameter,
  writeForm,
} from '../../../../src-main/features/workflows/rules/publish/graph-form.ts'
import { toResolvedPayload } from '../../../../src-main/features/workflows/rules/resolve/resolve.ts'
import type { JsonObject } from '../../../../src-main/lib/json/value.ts'
import { useApp } from '../../../store/app-context.ts'
import { useEditor, useTab } from '../store/editor-store.ts'

export function useForm(): GraphForm {
  const extra = useEditor(({ document }) => document.extra)
  return useMemo(() => readForm({ extra }), [extra])
}

export function useChangeForm() {
  const { editor } = useTab()
  return (label: string, change: (form: GraphForm) => GraphForm, merge?: string) =>
    editor.getState().edit(label, (document) => writeForm(document, change(readForm(document))), merge)
}

export type Exposable = ReturnType<typeof useExposable>

export function useExposable() {
  const { platform } = useApp()
  const document = useEditor((state) => state.document)
  const types = useEditor((state) => state.types)
  return useMemo(() => {
    const { payload, problems } = toResolvedPayload(document, types, platform.now())
    return { payload, problems, inputs: exposableInputs(payload, types), results: resultNodes(payload, types) }
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
