import { FilePlus2, LayoutTemplate, Plus } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import { Menu } from '../../../ui/Menu.tsx'

/** The ways to a new workflow. */
export type NewWorkflowMenuProps = { readonly onEmpty: () => void; readonly onTemplate: () => void }

/** The main action of the library. */
export function NewWorkflowMenu({ onEmpty, onTemplate }: NewWorkflowMenuProps) {
  return (
    <Menu
      groups={[
        [
          {
            label: 'From a template',
            detail: 'Graphs that run right away',
            icon: <LayoutTemplate />,
            onSelect: onTemplate,
          },
          { label: 'Empty', detail: 'A canvas without nodes', icon: <FilePlus2 />, onSelect: onEmpty },
        ],
      ]}
    >
      <Button kind="main">
        <Plus aria-hidden /> New workflow
      </Button>
    </Menu>
  )
}
