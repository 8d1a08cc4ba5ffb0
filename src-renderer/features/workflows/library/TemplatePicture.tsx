import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { WorkflowTemplate } from '../../../../src-main/contract/workflows.ts'
import { useApp } from '../../../store/app-context.ts'
import { openText } from '../../workflow-editor/files/document-text.ts'
import { renderThumbnail } from '../../workflow-editor/files/picture/render-graph.ts'
import { filesOf } from '../../workflow-editor/files/tabs-of.ts'

/** A drawing of a template; its place is kept while it is drawn. */
export function TemplatePicture({ template }: { readonly template: WorkflowTemplate }) {
  const app = useApp()
  const { data: picture } = useQuery({
    queryKey: ['template-picture', template.id],
    queryFn: async () => {
      const opened = openText(template.text)
      return opened.kind === 'fault'
        ? null
        : await renderThumbnail(opened.document, await filesOf(app).types.read(undefined))
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (picture === undefined || picture === null) return
    const made = URL.createObjectURL(picture)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [picture])
  return (
    <div className="aspect-8/5 w-32 shrink-0 rounded-control bg-surface-0">
      {address !== undefined && <img src={address} alt="" className="enters size-full object-contain" />}
    </div>
  )
}
