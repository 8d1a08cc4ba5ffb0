import { FolderOpen } from 'lucide-react'
import { useLocation } from 'wouter'
import type { ProjectView } from '../../../src-main/contract/projects.ts'
import { ADDRESS } from '../../addresses.ts'
import { IconName } from '../../ui/Links.tsx'
import { StateDot, type StateDotProps } from '../../ui/StateDot.tsx'
import { type Column, Table } from '../../ui/table/Table.tsx'
import { RelativeTime } from '../../ui/Values.tsx'
import { useEnvironments } from './AppTabs.tsx'

export function ProjectTable({ projects }: { readonly projects: readonly ProjectView[] }) {
  const [, go] = useLocation()
  return (
    <Table
      label="Projects"
      columns={COLUMNS}
      rows={projects}
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
      <IconName icon={FolderOpen} to={ADDRESS.project(id)}>
        {app}
      </IconName>
    ),
  },
  { id: 'state', header: 'State', width: 130, grow: 1, cell: (project) => <ProjectState project={project} /> },
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

function ProjectState({ project }: { readonly project: ProjectView }) {
  const { shown } = useEnvironments(project.app)
  return <StateDot {...projectState(project, shown !== undefined)} />
}

const PREVIEWS: Readonly<Record<NonNullable<ProjectView['preview']>, StateDotProps | undefined>> = {
  starting: { tone: 'running', text: 'Preview starts', pulses: true },
  live: { tone: 'completed', text: 'Preview live' },
  broken: { tone: 'failed', text: 'Preview failing' },
  stopping: { tone: 'queued', text: 'Preview stops' },
  ended: undefined,
}

const BUILDS: Readonly<Record<NonNullable<ProjectView['build']>, StateDotProps>> = {
  running: { tone: 'running', text: 'Building', pulses: true },
  done: { tone: 'completed', text: 'Built' },
  failed: { tone: 'failed', text: 'Build failed' },
  cancelled: { tone: 'cancelled', text: 'Build cancelled' },
}

export function projectState(project: ProjectView, isDeployed: boolean): StateDotProps {
  return (
    activityOf(project) ??
    (isDeployed ? { tone: 'completed', text: 'Deployed' } : { tone: 'queued', text: 'Not built' })
  )
}

export function activityOf({ isThere, preview, build }: ProjectView): StateDotProps | undefined {
  if (!isThere) return { tone: 'failed', text: 'Folder is missing' }
  if (build === 'running') return BUILDS.running
  const previewed = preview && PREVIEWS[preview]
  return previewed ?? (build && BUILDS[build])
}
