import { useQuery } from '@tanstack/react-query'
import { PowerOff, Rocket, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useShallow } from 'zustand/react/shallow'
import type { EnvironmentDetail } from '../../../../src-main/contract/app.ts'
import type { ProjectView } from '../../../../src-main/contract/projects.ts'
import {
  deletionText,
  environmentParts,
  restoredText,
  WITH_ENDPOINTS,
} from '../../../../src-main/features/endpoints/rules/deletion-text.ts'
import { named } from '../../../../src-main/features/endpoints/rules/dependents.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { ADDRESS, type EnvironmentTab } from '../../../addresses.ts'
import { isGone } from '../../../api-client/api-error.ts'
import { type AppTarget, environmentQuery, projectsQuery } from '../../../api-client/app-queries.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { onMachineText } from '../../../ui/form/machine-choice.ts'
import { MoreMenu } from '../../../ui/Menu.tsx'
import { Page } from '../../../ui/Page.tsx'
import { ErrorNotice, NotFound, SkeletonRows } from '../../../ui/PageStates.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'
import { useBreaks } from '../../endpoints/use-delete-effects.ts'
import { AppTabs, EnvironmentChoice, useAppTabCommands, useEnvironments } from '../AppTabs.tsx'
import { useEnvironmentActions } from '../use-environment-actions.ts'
import { EndpointsTab } from './EndpointsTab.tsx'
import { environmentState, useMembers } from './EnvironmentTable.tsx'
import { ReleasesTab } from './ReleasesTab.tsx'
import { VariablesTab } from './VariablesTab.tsx'

export function EnvironmentPage({ app, environment, tab }: AppTarget & { readonly tab: EnvironmentTab }) {
  const { client } = useApp()
  const target = { app, environment }
  const { data, error } = useQuery(environmentQuery(client, target))
  const { data: projectList } = useQuery(projectsQuery(client))
  const project = projectList?.projects.find((one) => one.app === app && one.isThere)
  const shown = { app, projectId: project?.id, environment }
  const commands = useAppTabCommands(shown)
  const Tab = TABS[tab]
  if (isGone(error)) return <NotFound what={`an environment ${app}/${environment}`} />
  return (
    <Page
      crumbs={[{ name: 'Apps', to: ADDRESS.apps }, { name: app }]}
      state={
        <>
          <EnvironmentChoice app={app} environment={environment} tab={tab} />
          {data && <EnvironmentState detail={data} target={target} />}
        </>
      }
      actions={<EnvironmentMenu target={target} detail={data} project={project} />}
      commands={commands}
      fills={tab === 'endpoints'}
      tabs={<AppTabs {...shown} current={tab} />}
    >
      {data === undefined && error !== null && <ErrorNotice error={error} />}
      {data === undefined && error === null && <SkeletonRows rows={8} />}
      {data !== undefined && <Tab detail={data} target={target} />}
    </Page>
  )
}

function EnvironmentState({ detail, target }: { readonly detail: EnvironmentDetail; readonly target: AppTarget }) {
  const members = useMembers(target)
  const workers = useAppState((state) => state.live.workers)
  const preparing = detail.releases.find(({ state }) => state === 'preparing')
  const place = onMachineText({ container: { machine: detail.machine } })
  const serving = detail.active === undefined ? undefined : `release ${detail.active.number}${place}`
  if (preparing !== undefined)
    return <StateDot tone="running" text="Deploying" detail={`release ${preparing.number}`} pulses />
  const state = environmentState(members, workers, detail.missing)
  return <StateDot detail={members.length === 0 ? undefined : serving} {...state} />
}

const TABS = { endpoints: EndpointsTab, releases: ReleasesTab, variables: VariablesTab } as const

type EnvironmentMenuProps = {
  readonly target: AppTarget
  readonly detail: EnvironmentDetail | undefined
  readonly project: ProjectView | undefined
}

export function EnvironmentMenu({ target, detail, project }: EnvironmentMenuProps) {
  const { app, environment } = target
  const [, go] = useLocation()
  const { undeploy, remove, removeApp } = useEnvironmentActions(target)
  const [asked, setAsked] = useState<string>()
  const { names } = useEnvironments(app)
  const name = `${app}/${environment}`
  const ids = detail?.endpoints.map(({ id }) => id) ?? []
  const idsInApp = useAppState(
    useShallow(({ live }) => Object.values(live.endpoints).flatMap((one) => (one.app?.name === app ? [one.id] : []))),
  )
  const thenLeave = async (work: Promise<boolean>) => (await work) && go(ADDRESS.apps)
  const actions = [
    {
      label: `Undeploy ${name}`,
      detail: 'Deletes its endpoints; releases and variables are kept',
      icon: <PowerOff />,
      disabled: !detail?.endpoints.length,
      run: () => undeploy(),
      deletes: ids,
      effect: `This deletes ${counted(ids.length, 'endpoint')} with all ${WITH_ENDPOINTS}. Calls will fail. Releases and variables are kept: “Roll back to this” ${restoredText(detail?.endpoints ?? [])}.`,
    },
    {
      label: `Delete environment ${name}`,
      icon: <Trash2 />,
      run: () => thenLeave(remove()),
      deletes: ids,
      effect: `This deletes ${deletionText(`environment ${name}`, detail === undefined ? [] : environmentParts(detail))}. This cannot be undone.`,
    },
    {
      label: `Delete app ${app}`,
      icon: <Trash2 />,
      run: () => thenLeave(removeApp()),
      deletes: idsInApp,
      effect: `This deletes ${deletionText(`app ${app}`, [...named('environment', names), 'all their endpoints, releases and variables'])}. The source folder is kept. This cannot be undone.`,
    },
  ]
  return (
    <>
      {project !== undefined && (
        <Button
          kind="main"
          onClick={() => go(`${ADDRESS.project(project.id, 'deploy')}?environment=${encodeURIComponent(environment)}`)}
        >
          <Rocket aria-hidden /> {detail?.releases.length === 0 ? 'Deploy' : 'Deploy again'}
        </Button>
      )}
      <MoreMenu
        label={`More for ${name}`}
        groups={[
          actions.map(({ run: _run, effect: _effect, deletes: _deletes, ...item }) => ({
            ...item,
            danger: true,
            onSelect: () => setAsked(item.label),
          })),
        ]}
      />
      {actions.map(({ label, run, effect, deletes }) => (
        <Confirm
          key={label}
          open={asked === label}
          onOpenChange={() => setAsked(undefined)}
          action={label}
          onConfirm={() => void run()}
        >
          <Breaks endpointIds={deletes} />
          {effect}
        </Confirm>
      ))}
    </>
  )
}

// A component of its own, so that nothing is read before the dialog opens.
function Breaks({ endpointIds }: { readonly endpointIds: readonly string[] }) {
  const breaks = useBreaks(endpointIds)
  return breaks === undefined ? null : <>This breaks: {breaks}. </>
}
