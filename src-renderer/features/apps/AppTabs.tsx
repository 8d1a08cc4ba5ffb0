import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { chooseEnvironment } from '../../../src-main/features/apps/rules/app-environment.ts'
import { ADDRESS, ENVIRONMENT_TABS, type EnvironmentTab, PROJECT_TABS, type ProjectTab } from '../../addresses.ts'
import { appsQuery } from '../../api-client/app-queries.ts'
import { useApp } from '../../store/app-context.ts'
import type { Command } from '../../store/app-slices.ts'
import { Select } from '../../ui/form/Select.tsx'
import { Tabs } from '../../ui/Tabs.tsx'

const TAB_NAMES: Readonly<Record<ProjectTab | EnvironmentTab, string>> = {
  picture: 'Diagram',
  build: 'Build',
  preview: 'Preview',
  deploy: 'Deploy',
  endpoints: 'Endpoints',
  releases: 'Releases',
  variables: 'Variables',
}

type ShownApp = {
  readonly app: string
  readonly projectId: string | undefined
  readonly environment: string | undefined
}

export function AppTabs({ current, ...shown }: ShownApp & { readonly current: ProjectTab | EnvironmentTab }) {
  return (
    <Tabs
      label={`Parts of ${shown.app}`}
      tabs={tabsOf(shown).map(({ tab, to }) => ({ name: TAB_NAMES[tab], to, current: tab === current }))}
    />
  )
}

export function useAppTabCommands(shown: ShownApp): readonly Command[] {
  const [, go] = useLocation()
  return tabsOf(shown).map(({ tab, to }, at) => ({
    id: `tab-${tab}`,
    group: shown.app,
    label: TAB_NAMES[tab],
    keys: String(at + 1),
    run: () => go(to),
  }))
}

function tabsOf({ app, projectId, environment }: ShownApp) {
  const to = environment === undefined ? '' : `?environment=${encodeURIComponent(environment)}`
  const ofProject = (tab: ProjectTab) => ({
    tab,
    to: ADDRESS.project(projectId ?? '', tab) + (tab === 'deploy' ? to : ''),
  })
  const ofEnvironment = (tab: EnvironmentTab) => ({ tab, to: ADDRESS.environment(app, environment ?? '', tab) })
  return [
    ...(projectId === undefined ? [] : PROJECT_TABS.map(ofProject)),
    ...(environment === undefined ? [] : ENVIRONMENT_TABS.map(ofEnvironment)),
  ]
}

export function useEnvironments(app: string | undefined, asked?: string | undefined) {
  const { client } = useApp()
  const { data } = useQuery(appsQuery(client))
  const names = data?.apps.find(({ name }) => name === app)?.environments.map(({ name }) => name) ?? []
  const meant = chooseEnvironment(asked, names)
  return { names, shown: names.includes(meant) ? meant : names[0] }
}

export type EnvironmentChoiceProps = {
  readonly app: string
  readonly environment: string
  readonly tab: EnvironmentTab
}

export function EnvironmentChoice({ app, environment, tab }: EnvironmentChoiceProps) {
  const [, go] = useLocation()
  const { names } = useEnvironments(app)
  if (names.length < 2) return <span className="text-ink-2">{environment}</span>
  return (
    <Select
      aria-label="Environment"
      value={environment}
      choices={names.map((name) => ({ value: name, label: name }))}
      onChange={(name) => go(ADDRESS.environment(app, name, tab))}
      className="max-w-48"
    />
  )
}
