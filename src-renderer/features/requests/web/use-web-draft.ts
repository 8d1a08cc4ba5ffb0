import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { DeployedEndpoint } from '../../../../src-main/contract/app.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { firstRoute } from '../../../../src-main/domain/app/example-request.ts'
import { environmentQuery } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { useDraft } from '../use-draft.ts'
import { draftOfRoute, EMPTY_WEB_DRAFT, type WebDraft } from './web-draft.ts'

type App = LiveEndpoint['app']

/** The endpoint with its routes as its app declares them; undefined: it is of no app, or they are not known yet. */
export function useDeclaredRoutes(app: App): DeployedEndpoint | undefined {
  const { client } = useApp()
  const { name = '', environment = '', resource } = app ?? {}
  const { data } = useQuery({ ...environmentQuery(client, { app: name, environment }), enabled: app !== undefined })
  return data?.endpoints.find((endpoint) => endpoint.resource === resource)
}

/** The request that a person writes for a load-balanced endpoint; one of an app begins with its first route. */
export function useWebDraft({ id, app }: Pick<LiveEndpoint, 'id' | 'app'>): ReturnType<typeof useDraft<WebDraft>> {
  const declared = useDeclaredRoutes(app)
  const initial = useMemo(() => {
    const route = firstRoute(declared?.routes ?? [])
    return declared === undefined || route === undefined
      ? EMPTY_WEB_DRAFT
      : { ...EMPTY_WEB_DRAFT, ...draftOfRoute(route, declared) }
  }, [declared])
  return useDraft('web', id, initial)
}
