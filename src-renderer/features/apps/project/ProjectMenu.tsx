import { useQueryClient } from '@tanstack/react-query'
import { Copy, Ellipsis, FolderMinus, Rocket } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { ProjectDetail } from '../../../../src-main/contract/projects.ts'
import { ADDRESS, type ProjectTab } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu } from '../../../ui/Menu.tsx'

/** The actions of a project. */
export type ProjectMenuProps = { readonly project: ProjectDetail; readonly tab: ProjectTab }

/** Leads to the deploy; forgets the project. */
export function ProjectMenu({ project: { id, app, folder }, tab }: ProjectMenuProps) {
  const { client, store, platform } = useApp()
  const queries = useQueryClient()
  const [, go] = useLocation()
  const [asks, setAsks] = useState(false)
  const forget = async () => {
    const { tell } = store.getState()
    try {
      await client.call('projectForget', { path: { projectId: id } })
      void queries.invalidateQueries({ queryKey: ['projects'] })
      go(ADDRESS.apps)
      tell({ kind: 'done', text: `The project ${app} is forgotten; its folder is as it was.` })
    } catch (error) {
      tell({ kind: 'error', text: (error as Error).message })
    }
  }
  return (
    <>
      {tab === 'picture' && (
        <Button kind="main" onClick={() => go(ADDRESS.project(id, 'deploy'))}>
          <Rocket aria-hidden /> Deploy
        </Button>
      )}
      <Menu
        groups={[
          [{ label: 'Copy folder', detail: folder, icon: <Copy />, onSelect: () => void platform.copy(folder) }],
          [
            {
              label: `Forget project ${app}`,
              detail: 'The folder and what is deployed stay',
              icon: <FolderMinus />,
              onSelect: () => setAsks(true),
            },
          ],
        ]}
      >
        <IconButton label={`More for ${app}`}>
          <Ellipsis />
        </IconButton>
      </Menu>
      <Confirm open={asks} onOpenChange={setAsks} action={`Forget project ${app}`} onConfirm={() => void forget()}>
        It leaves the list, and its preview ends. The folder {folder} stays as it is, and so does what is deployed.
      </Confirm>
    </>
  )
}
