import { Briefcase, Ellipsis, Trash2, Workflow } from 'lucide-react'
import { useLocation } from 'wouter'
import type { RunDetail } from '../../../../src-main/contract/workflows.ts'
import { ADDRESS } from '../../../addresses.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { hasEnded } from '../../workflow-editor/run/follow-runs.ts'

/** A run, and who asks before it is deleted. */
export type RunMenuProps = { readonly run: RunDetail; readonly onDelete: () => void }

/** The rest of what can be done with a run. */
export function RunMenu({ run, onDelete }: RunMenuProps) {
  const [, go] = useLocation()
  const { workflowId } = run
  const inWorkflow = {
    label: 'Open in its workflow',
    icon: <Workflow aria-hidden />,
    disabled: workflowId === undefined,
    onSelect: () =>
      workflowId !== undefined && go(`${ADDRESS.workflow(workflowId)}?side=results&run=${encodeURIComponent(run.id)}`),
    ...(workflowId === undefined ? { detail: 'It was not run from the library' } : {}),
  }
  const job = { label: 'Show its job', icon: <Briefcase aria-hidden />, onSelect: () => go(ADDRESS.job(run.id)) }
  const remove = {
    label: 'Delete run',
    icon: <Trash2 aria-hidden />,
    danger: true,
    disabled: !hasEnded(run),
    onSelect: onDelete,
    ...(hasEnded(run) ? {} : { detail: 'Cancel it first' }),
  }
  return (
    <Menu groups={[[inWorkflow, job], [remove]]}>
      <IconButton label="More actions">
        <Ellipsis />
      </IconButton>
    </Menu>
  )
}
