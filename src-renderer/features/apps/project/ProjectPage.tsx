import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import type { ProjectDetail } from '../../../../src-main/contract/projects.ts'
import { ADDRESS, PROJECT_TABS, type ProjectTab } from '../../../addresses.ts'
import { projectQuery } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import type { Command } from '../../../store/commands-slice.ts'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { NotFound } from '../../../ui/NotFound.tsx'
import { Page } from '../../../ui/Page.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { isGone } from '../is-gone.ts'
import { projectState } from '../list/project-state.ts'
import { BuildTab } from './build/BuildTab.tsx'
import { DeployTab } from './deploy/DeployTab.tsx'
import { ProjectMenu } from './ProjectMenu.tsx'
import { PictureTab } from './picture/PictureTab.tsx'
import { PreviewTab } from './preview/PreviewTab.tsx'

/** A project, and which of its tabs is shown. */
export type ProjectPageProps = { readonly projectId: string; readonly tab: ProjectTab }

const TAB_NAMES: Readonly<Record<ProjectTab, string>> = {
  picture: 'Picture',
  build: 'Build',
  preview: 'Preview',
  deploy: 'Deploy',
}

/** The page of a project: a folder of this machine with an app. */
export function ProjectPage({ projectId, tab }: ProjectPageProps) {
  const { client } = useApp()
  const { data, error } = useQuery(projectQuery(client, projectId))
  const commands = useTabCommands(projectId)
  if (isGone(error)) return <NotFound what={`a project ${projectId}`} />
  return (
    <Page
      crumbs={[{ name: 'Apps', to: ADDRESS.apps }, { name: data?.app ?? 'Project' }]}
      state={data && <StateDot {...projectState(data)} />}
      actions={data && <ProjectMenu project={data} tab={tab} />}
      commands={commands}
      fills={tab === 'picture' || tab === 'preview'}
      tabs={
        <Tabs
          label="Parts of the project"
          tabs={PROJECT_TABS.map((one) => ({
            name: TAB_NAMES[one],
            to: ADDRESS.project(projectId, one),
            current: one === tab,
          }))}
        />
      }
    >
      {data === undefined && (error === null ? <SkeletonRows rows={8} /> : <ErrorNotice error={error} />)}
      {data?.isThere === false && (
        <ErrorNotice
          error={`The folder ${data.folder} cannot be read: it was moved, deleted, or its disk is not there. Bring it back, or forget this project with the menu above. What is deployed goes on.`}
        />
      )}
      {data !== undefined && <TabContent key={tab} project={data} tab={tab} />}
    </Page>
  )
}

function TabContent({ project, tab }: { readonly project: ProjectDetail; readonly tab: ProjectTab }) {
  switch (tab) {
    case 'picture':
      return <PictureTab project={project} />
    case 'build':
      return <BuildTab project={project} />
    case 'preview':
      return <PreviewTab project={project} />
    case 'deploy':
      return <DeployTab project={project} />
  }
}

function useTabCommands(projectId: string): readonly Command[] {
  const [, go] = useLocation()
  return useMemo(
    () =>
      PROJECT_TABS.map((tab, at) => ({
        id: `tab-${tab}`,
        group: 'Project',
        label: TAB_NAMES[tab],
        keys: String(at + 1),
        run: () => go(ADDRESS.project(projectId, tab)),
      })),
    [go, projectId],
  )
}
