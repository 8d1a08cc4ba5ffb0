import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Redirect, useLocation } from 'wouter'
import type { AppView } from '../../../../src-main/contract/app.ts'
import { ADDRESS } from '../../../addresses.ts'
import { appsQuery } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Confirm } from '../../../ui/Dialog.tsx'
import { MoreMenu } from '../../../ui/Menu.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, ErrorNotice, NotFound, SkeletonRows } from '../../../ui/PageStates.tsx'
import { useEnvironments } from '../AppTabs.tsx'
import { useEnvironmentActions } from '../use-environment-actions.ts'

export function AppPage({ app: name }: { readonly app: string }) {
  const { client } = useApp()
  const { data, error } = useQuery(appsQuery(client))
  const app = data?.apps.find((one) => one.name === name)
  const { shown: environment } = useEnvironments(name)
  if (data !== undefined && app === undefined) return <NotFound what={`an app ${name}`} />
  if (environment !== undefined) return <Redirect to={ADDRESS.environment(name, environment)} replace />
  return (
    <Page fills crumbs={[{ name: 'Apps', to: ADDRESS.apps }, { name }]} actions={app && <AppMenu app={app} />}>
      {data === undefined && (error === null ? <SkeletonRows rows={3} /> : <ErrorNotice error={error} />)}
      {app?.environments.length === 0 && (
        <EmptyState command="drydock deploy">
          {name} has no environments. A deploy from its folder creates one.
        </EmptyState>
      )}
    </Page>
  )
}

function AppMenu({ app: { name } }: { readonly app: AppView }) {
  const [, go] = useLocation()
  const [asks, setAsks] = useState(false)
  const { removeApp } = useEnvironmentActions({ app: name, environment: '' })
  return (
    <>
      <MoreMenu
        label={`More for ${name}`}
        groups={[[{ label: `Delete app ${name}`, icon: <Trash2 />, danger: true, onSelect: () => setAsks(true) }]]}
      />
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        action={`Delete app ${name}`}
        onConfirm={async () => {
          if (await removeApp()) go(ADDRESS.apps)
        }}
      >
        It has no environments. The source folder stays.
      </Confirm>
    </>
  )
}
