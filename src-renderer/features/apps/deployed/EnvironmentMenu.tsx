import { useQuery } from '@tanstack/react-query'
import { Ellipsis, FolderOpen, PowerOff, Rocket, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { EnvironmentDetail } from '../../../../src-main/contract/app.ts'
import { ADDRESS } from '../../../addresses.ts'
import { type Place, projectsQuery } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { counted } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { useEnvironmentActions } from '../use-environment-actions.ts'

/** The actions of an environment. `detail` is missing until it has come. */
export type EnvironmentMenuProps = { readonly place: Place; readonly detail: EnvironmentDetail | undefined }

type Question = 'undeploy' | 'remove'

/** Deploys again where the project is known; what deletes something stands behind a menu and a question. */
export function EnvironmentMenu({ place, detail }: EnvironmentMenuProps) {
  const { app, environment } = place
  const [, go] = useLocation()
  const { client } = useApp()
  const { undeploy, remove } = useEnvironmentActions(place)
  const [asks, setAsks] = useState<Question>()
  const { data } = useQuery(projectsQuery(client))
  const project = data?.projects.find((one) => one.app === app && one.isThere)
  const name = `${app}/${environment}`
  const endpoints = detail?.endpoints.length ?? 0
  const close = () => setAsks(undefined)
  return (
    <>
      {project !== undefined && (
        <Button
          kind="main"
          onClick={() => go(`${ADDRESS.project(project.id, 'deploy')}?environment=${encodeURIComponent(environment)}`)}
        >
          <Rocket aria-hidden /> Deploy again
        </Button>
      )}
      <Menu
        groups={[
          ...(project === undefined
            ? []
            : [
                [
                  {
                    label: 'Open the project',
                    detail: project.folder,
                    icon: <FolderOpen />,
                    onSelect: () => go(ADDRESS.project(project.id)),
                  },
                ],
              ]),
          [
            {
              label: `Undeploy ${name}`,
              detail: 'Its endpoints go, releases and variables stay',
              icon: <PowerOff />,
              danger: true,
              disabled: endpoints === 0,
              onSelect: () => setAsks('undeploy'),
            },
            {
              label: `Delete environment ${name}`,
              icon: <Trash2 />,
              danger: true,
              onSelect: () => setAsks('remove'),
            },
          ],
        ]}
      >
        <IconButton label={`More for ${name}`}>
          <Ellipsis />
        </IconButton>
      </Menu>
      <Confirm
        open={asks === 'undeploy'}
        onOpenChange={close}
        action={`Undeploy ${name}`}
        onConfirm={() => void undeploy()}
      >
        {counted(endpoints, 'endpoint')} with jobs, results and logs are deleted; what calls them fails from now on.
        Releases and variables stay, so “Roll back to this” brings the endpoints back.
      </Confirm>
      <Confirm
        open={asks === 'remove'}
        onOpenChange={close}
        action={`Delete environment ${name}`}
        onConfirm={async () => {
          if (await remove()) go(ADDRESS.apps)
        }}
      >
        {counted(endpoints, 'endpoint')} with jobs, results and logs, {counted(detail?.releases.length ?? 0, 'release')}{' '}
        and {counted(detail?.variables.length ?? 0, 'variable')} are deleted. This cannot be taken back.
      </Confirm>
    </>
  )
}
