import { useQuery } from '@tanstack/react-query'
import { Route } from 'lucide-react'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { environmentQuery } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { METHODS, type WebDraft } from './web-draft.ts'

/** The routes of an endpoint, where its app says which there are. */
export type RouteMenuProps = {
  readonly app: NonNullable<LiveEndpoint['app']>
  readonly onChoose: (request: Pick<WebDraft, 'method' | 'path'>) => void
}

/** A menu of the routes that the app declares; nothing where it declares none. */
export function RouteMenu({ app: { name, environment, resource }, onChoose }: RouteMenuProps) {
  const { client } = useApp()
  const { data } = useQuery(environmentQuery(client, { app: name, environment }))
  const routes = data?.endpoints.find((endpoint) => endpoint.resource === resource)?.routes ?? []
  if (routes.length === 0) return null
  return (
    <Menu
      groups={[
        routes.map((route) => {
          const [method = '', path = '/'] = route.split(' ', 2)
          const known = METHODS.find((one) => one === method) ?? 'GET'
          return { label: route, onSelect: () => onChoose({ method: known, path }) }
        }),
      ]}
    >
      <Button>
        <Route aria-hidden /> Routes
      </Button>
    </Menu>
  )
}
