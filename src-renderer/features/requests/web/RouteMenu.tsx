import { Route } from 'lucide-react'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import { Button } from '../../../ui/Button.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { useDeclaredRoutes } from './use-web-draft.ts'
import { draftOfRoute, type WebDraft } from './web-draft.ts'

/** The routes of an endpoint, where its app says which there are. */
export type RouteMenuProps = {
  readonly app: NonNullable<LiveEndpoint['app']>
  readonly onChoose: (request: Partial<WebDraft>) => void
}

/** A menu of the routes that the app declares; nothing where it declares none. */
export function RouteMenu({ app, onChoose }: RouteMenuProps) {
  const declared = useDeclaredRoutes(app)
  if (declared === undefined || declared.routes.length === 0) return null
  return (
    <Menu
      groups={[
        declared.routes.map((route) => ({ label: route, onSelect: () => onChoose(draftOfRoute(route, declared)) })),
      ]}
    >
      <Button>
        <Route aria-hidden /> Routes
      </Button>
    </Menu>
  )
}
