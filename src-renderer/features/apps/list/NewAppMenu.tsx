import { useQuery } from '@tanstack/react-query'
import { BookOpen, FolderOpen, LayoutTemplate, Plus } from 'lucide-react'
import { examplesQuery } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Menu } from '../../../ui/Menu.tsx'

/** What opens a folder as it is, or one that is filled from an example or the template `app` first. */
export type NewAppMenuProps = { readonly onOpen: () => void; readonly onChoose: (example: string) => void }

/** The ways to a project, which stay after the first one. */
export function NewAppMenu({ onOpen, onChoose }: NewAppMenuProps) {
  const { client } = useApp()
  const { data } = useQuery(examplesQuery(client))
  const examples = (data?.examples ?? []).map(({ name, endpoints }) => ({
    label: name,
    detail: `Example: ${endpoints.join(', ')}`,
    icon: <BookOpen />,
    onSelect: () => onChoose(name),
  }))
  return (
    <Menu
      groups={[
        [
          { label: 'Folder', detail: 'One with an app in it', icon: <FolderOpen />, onSelect: onOpen },
          {
            label: 'Template',
            detail: 'An endpoint of each kind, to be changed',
            icon: <LayoutTemplate />,
            onSelect: () => onChoose('app'),
          },
        ],
        ...(examples.length === 0 ? [] : [examples]),
      ]}
    >
      <Button>
        <Plus aria-hidden /> New app
      </Button>
    </Menu>
  )
}
