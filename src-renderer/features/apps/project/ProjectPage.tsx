import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Copy, FolderMinus, Rocket } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import type { ProjectDetail } from '../../../../src-main/contract/projects.ts'
import { ADDRESS, type ProjectTab } from '../../../addresses.ts'
import { isGone } from '../../../api-client/api-error.ts'
import { type AppTarget, projectQuery } from '../../../api-client/app-queries.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { MoreMenu } from '../../../ui/Menu.tsx'
import { Page } from '../../../ui/Page.tsx'
import { ErrorNotice, NotFound, SkeletonRows } from '../../../ui/PageStates.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { useTell } from '../../../ui/use-tell.ts'
import { AppTabs, useAppTabCommands, useEnvironments } from '../AppTabs.tsx'
import { environmentState, useMembers } from '../deployed/EnvironmentTable.tsx'
import { activityOf, projectState } from '../ProjectTable.tsx'
import { BuildTab } from './BuildTab.tsx'
import { DeployTab } from './DeployTab.tsx'
import { PictureTab } from './PictureTab.tsx'
import { PreviewTab } from './PreviewTab.tsx'

export function ProjectPage({ projectId, tab }: { readonly projectId: string; readonly tab: ProjectTab }) {
  const { client } = useApp()
  const { data, error } = useQuery(projectQuery(client, projectId))
  const [search] = useSearchParams()
  const { shown: environment } = useEnvironments(data?.app, search.get('environment') ?? undefined)
  const shown = { app: data?.app ?? 'Project', projectId, environment }
  const commands = useAppTabCommands(shown)
  const Tab = TABS[tab]
  if (isGone(error)) return <NotFound what={`a project ${projectId}`} />
  const activity = data && (environment === undefined ? projectState(data, false) : activityOf(data))
  return (
    <Page
      crumbs={[{ name: 'Apps', to: ADDRESS.apps }, { name: shown.app }]}
      state={
        data && (
          <>
            {activity && <StateDot {...activity} />}
            {environment !== undefined && <Deployed target={{ app: data.app, environment }} />}
          </>
        )
      }
      actions={data && <ProjectMenu project={data} tab={tab} />}
      commands={commands}
      fills={tab === 'picture' || tab === 'preview'}
      tabs={<AppTabs {...shown} current={tab} />}
    >
      {data === undefined && (error === null ? <SkeletonRows rows={8} /> : <ErrorNotice error={error} />)}
      {data?.isThere === false && (
        <ErrorNotice
          error={`The folder ${data.folder} cannot be read: it was moved or deleted, or its disk is missing. Restore it, or remove this project with the menu above. What is deployed stays live.`}
        />
      )}
      {data !== undefined && <Tab key={tab} project={data} />}
    </Page>
  )
}

function Deployed({ target }: { readonly target: AppTarget }) {
  const members = useMembers(target)
  const workers = useAppState((state) => state.live.workers)
  const { app, environment } = target
  return (
    <Link to={ADDRESS.environment(app, environment)} className="inline-flex hover:underline">
      <StateDot {...environmentState(members, workers)} detail={`in ${environment}`} />
    </Link>
  )
}

const TABS = { picture: PictureTab, build: BuildTab, preview: PreviewTab, deploy: DeployTab } as const

type ProjectMenuProps = { readonly project: ProjectDetail; readonly tab: ProjectTab }

function ProjectMenu({ project: { id, app, folder }, tab }: ProjectMenuProps) {
  const { client, platform } = useApp()
  const { attempt } = useTell()
  const queries = useQueryClient()
  const [, go] = useLocation()
  const [asks, setAsks] = useState(false)
  const forget = () =>
    attempt(async () => {
      await client.call('projectForget', { path: { projectId: id } })
      void queries.invalidateQueries({ queryKey: ['projects'] })
      go(ADDRESS.apps)
    }, `The project ${app} is removed from the list; its folder is unchanged.`)
  return (
    <>
      {tab === 'picture' && (
        <Button kind="main" onClick={() => go(ADDRESS.project(id, 'deploy'))}>
          <Rocket aria-hidden /> Deploy
        </Button>
      )}
      <MoreMenu
        label={`More for ${app}`}
        groups={[
          [{ label: 'Copy folder', detail: folder, icon: <Copy />, onSelect: () => void platform.copy(folder) }],
          [
            {
              label: `Remove project ${app}`,
              detail: 'The folder and what is deployed stay',
              icon: <FolderMinus />,
              onSelect: () => setAsks(true),
            },
          ],
        ]}
      />
      <Confirm open={asks} onOpenChange={setAsks} action={`Remove project ${app}`} onConfirm={() => void forget()}>
        It is removed from the list, and its preview ends. The folder {folder} and what is deployed stay as they are.
      </Confirm>
    </>
  )
}
