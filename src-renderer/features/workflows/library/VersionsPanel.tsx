import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import type { WorkflowVersion, WorkflowView } from '../../../../src-main/contract/workflows.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { ago, counted, exactTime } from '../../../ui/format.ts'
import { SidePanel } from '../../../ui/SidePanel.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { openVersion } from '../../workflow-editor/files/open-version.ts'
import { versionsQuery } from './queries.ts'

/** The versions of a workflow. */
export type VersionsPanelProps = { readonly workflow: WorkflowView; readonly onClose: () => void }

/** The saved versions; an older one opens as an edit, which can be undone. */
export function VersionsPanel({ workflow, onClose }: VersionsPanelProps) {
  const app = useApp()
  const [, go] = useLocation()
  const { data, error } = useQuery(versionsQuery(app.client, workflow.id))
  async function open(version: number): Promise<void> {
    const fault = await openVersion(app, workflow.id, version)
    if (fault === undefined) go(ADDRESS.workflow(workflow.id))
    else app.store.getState().tell({ kind: 'error', text: fault })
  }
  const now = app.platform.now()
  return (
    <SidePanel open onOpenChange={(isOpen) => !isOpen && onClose()} title={`Versions of ${workflow.name}`}>
      {workflow.draft > 0 && (
        <p className="mb-3 rounded-control bg-warn-soft px-3 py-2 text-warn-ink">
          Edits are kept as a draft and not saved as a version yet.
        </p>
      )}
      {error !== null && <ErrorNotice error={error} />}
      {data === undefined && error === null && <SkeletonRows rows={4} />}
      {data?.versions.length === 0 && <p className="text-ink-2">No version was saved yet. Save one in the editor.</p>}
      <ul className="flex flex-col gap-2">
        {data?.versions.map((version) => (
          <VersionRow key={version.version} version={version} now={now} onOpen={() => void open(version.version)} />
        ))}
      </ul>
    </SidePanel>
  )
}

type VersionRowProps = { readonly version: WorkflowVersion; readonly now: number; readonly onOpen: () => void }

function VersionRow({ version: { version, savedAt, nodes }, now, onOpen }: VersionRowProps) {
  return (
    <li className="flex items-center gap-3 rounded-control border border-line px-3 py-2">
      <div className="min-w-0 flex-1">
        <h3 className="font-medium">Version {version}</h3>
        <p className="text-small text-ink-2" title={exactTime(savedAt)}>
          {counted(nodes, 'node')} · saved {ago(savedAt, now)}
        </p>
      </div>
      <Button aria-label={`Open version ${version}`} onClick={onOpen}>
        Open
      </Button>
    </li>
  )
}
