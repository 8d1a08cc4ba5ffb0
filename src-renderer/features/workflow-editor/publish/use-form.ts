import { useCallback, useMemo } from 'react'
import { type GraphForm, readForm, writeForm } from '../../../../src-main/domain/workflow/publish/graph-form.ts'
import { toPayload } from '../../../../src-main/domain/workflow/to-payload/to-payload.ts'
import { useApp } from '../../../store/app-context.ts'
import { useEditor, useTab } from '../store/editor-context.ts'
import { exposableInputs, resultNodes } from './exposable-inputs.ts'

/** The form of the open document. */
export function useForm(): GraphForm {
  const extra = useEditor(({ document }) => document.extra)
  return useMemo(() => readForm({ extra }), [extra])
}

/** Changes the form. @param merge edits one after the other with the same word are one step of undo */
export function useChangeForm(): (label: string, change: (form: GraphForm) => GraphForm, merge?: string) => void {
  const { editor } = useTab()
  return useCallback(
    (label, change, merge) =>
      editor.getState().edit(label, (document) => writeForm(document, change(readForm(document))), merge),
    [editor],
  )
}

/** The payload of the open document, and what of it can be exposed. */
export function useExposable() {
  const { platform } = useApp()
  const document = useEditor((state) => state.document)
  const types = useEditor((state) => state.types)
  return useMemo(() => {
    const { payload, problems } = toPayload(document, types, platform.now())
    return { payload, problems, inputs: exposableInputs(payload, types), results: resultNodes(payload, types) }
  }, [document, types, platform])
}
