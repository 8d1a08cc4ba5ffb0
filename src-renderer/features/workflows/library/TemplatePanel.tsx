import { useQuery } from '@tanstack/react-query'
import type { WorkflowTemplate } from '../../../../src-main/contract/workflows.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { counted } from '../../../ui/format.ts'
import { SidePanel } from '../../../ui/SidePanel.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { templatesQuery } from './queries.ts'
import { TemplatePicture } from './TemplatePicture.tsx'

/** The templates. */
export type TemplatePanelProps = {
  readonly onUse: (name: string, text: string) => Promise<void>
  readonly onClose: () => void
}

/** Graphs that come along, each to begin with. */
export function TemplatePanel({ onUse, onClose }: TemplatePanelProps) {
  const { client } = useApp()
  const { data, error } = useQuery(templatesQuery(client))
  return (
    <SidePanel open onOpenChange={(open) => !open && onClose()} title="New from a template">
      <p className="mb-3 text-ink-2">
        They run on the endpoint <span className="font-mono text-small">sketch</span>, which draws without a model, so
        that a graph can be tried on any machine. It is a stand-in: choose another endpoint for real pictures.
      </p>
      {error !== null && <ErrorNotice error={error} />}
      {data === undefined && error === null && <SkeletonRows rows={6} />}
      <ul className="flex flex-col gap-2">
        {data?.templates.map((template) => (
          <TemplateRow key={template.id} template={template} onUse={onUse} />
        ))}
      </ul>
    </SidePanel>
  )
}

type TemplateRowProps = Pick<TemplatePanelProps, 'onUse'> & { readonly template: WorkflowTemplate }

function TemplateRow({ template, onUse }: TemplateRowProps) {
  const { name, summary, nodes, text } = template
  return (
    <li className="flex items-start gap-3 rounded-control border border-line p-2">
      <TemplatePicture template={template} />
      <div className="min-w-0 flex-1">
        <h3 className="font-medium">{name}</h3>
        <p className="text-ink-2">{summary}</p>
        <p className="text-small text-ink-2">{counted(nodes, 'node')}</p>
      </div>
      <Button aria-label={`Use ${name}`} onClick={() => void onUse(name, text)}>
        Use
      </Button>
    </li>
  )
}
