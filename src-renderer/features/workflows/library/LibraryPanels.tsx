import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import type { WorkflowTemplate, WorkflowView } from '../../../../src-main/contract/workflows.ts'
import { ago, counted } from '../../../../src-main/lib/text.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { SidePanel } from '../../../ui/Dialog.tsx'
import { exactTime } from '../../../ui/format.ts'
import { ErrorNotice, SkeletonRows } from '../../../ui/PageStates.tsx'
import { openText } from '../../workflow-editor/files/document-text.ts'
import { filesOf, openVersion } from '../../workflow-editor/files/editor-files.ts'
import { renderThumbnail } from '../../workflow-editor/files/render-graph.ts'

export type TemplatePanelProps = {
  readonly onUse: (name: string, text: string) => Promise<void>
  readonly onClose: () => void
}

export function TemplatePanel({ onUse, onClose }: TemplatePanelProps) {
  const { client } = useApp()
  const { data, error } = useQuery({
    queryKey: ['workflow-templates'],
    queryFn: ({ signal }) => client.call('workflowTemplates', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <SidePanel open onOpenChange={(open) => !open && onClose()} title="New from a template">
      <p className="mb-3 text-ink-2">
        They run on the endpoint <span className="font-mono text-small">sketch</span>, which draws without a model, so
        you can try graphs on any machine. It is a stand-in: choose another endpoint for real pictures.
      </p>
      {error !== null && <ErrorNotice error={error} />}
      {data === undefined && error === null && <SkeletonRows rows={6} />}
      <ul className="flex flex-col gap-2">
        {data?.templates.map((template) => (
          <li key={template.id} className="flex items-start gap-3 rounded-control border border-line p-2">
            <TemplatePicture template={template} />
            <div className="min-w-0 flex-1">
              <h3 className="font-medium">{template.name}</h3>
              <p className="text-ink-2">{template.summary}</p>
              <p className="text-small text-ink-2">{counted(template.nodes, 'node')}</p>
            </div>
            <Button aria-label={`Use ${template.name}`} onClick={() => void onUse(template.name, template.text)}>
              Use
            </Button>
          </li>
        ))}
      </ul>
    </SidePanel>
  )
}

function TemplatePicture({ template }: { readonly template: WorkflowTemplate }) {
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

type VersionsPanelProps = { readonly workflow: WorkflowView; readonly onClose: () => void }

export function VersionsPanel({ workflow, onClose }: VersionsPanelProps) {
  const app = useApp()
  const [, go] = useLocation()
  const { data, error } = useQuery({
    queryKey: ['workflow-versions', workflow.id],
    queryFn: ({ signal }) => app.client.call('workflowVersions', { path: { workflowId: workflow.id }, signal }),
  })
  async function open(version: number): Promise<void> {
    const problem = await openVersion(app, workflow.id, version)
    if (problem === undefined) go(ADDRESS.workflow(workflow.id))
    else app.store.getState().notify({ kind: 'error', text: problem })
  }
  const now = app.platform.now()
  return (
    <SidePanel open onOpenChange={(isOpen) => !isOpen && onClose()} title={`Versions of ${workflow.name}`}>
      {workflow.draft > 0 && (
        <p className="mb-3 rounded-control bg-warn-soft px-3 py-2 text-warn-ink">
          Edits are stored as a draft and not yet saved as a version.
        </p>
      )}
      {error !== null && <ErrorNotice error={error} />}
      {data === undefined && error === null && <SkeletonRows rows={4} />}
      {data?.versions.length === 0 && (
        <p className="text-ink-2">No version has been saved yet. Save one in the editor.</p>
      )}
      <ul className="flex flex-col gap-2">
        {data?.versions.map(({ version, savedAt, nodes }) => (
          <li key={version} className="flex items-center gap-3 rounded-control border border-line px-3 py-2">
            <div className="min-w-0 flex-1">
              <h3 className="font-medium">Version {version}</h3>
              <p className="text-small text-ink-2" title={exactTime(savedAt)}>
                {counted(nodes, 'node')} · saved {ago(savedAt, now)}
              </p>
            </div>
            <Button aria-label={`Open version ${version}`} onClick={() => void open(version)}>
              Open
            </Button>
          </li>
        ))}
      </ul>
    </SidePanel>
  )
}
