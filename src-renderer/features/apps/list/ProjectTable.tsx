import { Link, useLocation } from 'wouter'
import type { ProjectView } from '../../../../src-main/contract/projects.ts'
import { ADDRESS } from '../../../addresses.ts'
import { StateDot } from '../../../ui/StateDot.tsx'
import type { Column } from '../../../ui/table/column.ts'
import { Table } from '../../../ui/table/Table.tsx'
import { RelativeTime } from '../../../ui/Values.tsx'
import { projectState } from './project-state.ts'

/** The projects of this machine, the one opened last first. */
export function ProjectTable({ projects }: { readonly projects: readonly ProjectView[] }) {
  const [, go] = useLocation()
  return (
    <Table
      label="Projects"
      columns={COLUMNS}
      rows={projects}
      rowId={({ id }) => id}
      onOpen={({ id }) => go(ADDRESS.project(id))}
      className="max-h-96 rounded-control border border-line bg-surface-1"
    />
  )
}

const COLUMNS: readonly Column<ProjectView>[] = [
  {
    id: 'app',
    header: 'App',
    width: 140,
    grow: 2,
    cell: ({ id, app }) => (
      <Link to={ADDRESS.project(id)} className="font-medium hover:underline">
        {app}
      </Link>
    ),
  },
  { id: 'state', header: 'State', width: 130, grow: 1, cell: (project) => <StateDot {...projectState(project)} /> },
  {
    id: 'folder',
    header: 'Folder',
    width: 220,
    grow: 4,
    cell: ({ folder }) => (
      <span className="font-mono text-small text-ink-2" title={folder}>
        {folder}
      </span>
    ),
  },
  { id: 'opened', header: 'Opened', width: 110, grow: 1, cell: ({ openedAt }) => <RelativeTime at={openedAt} /> },
]
