import { Plus } from 'lucide-react'
import { CommandsHere } from '../../../ui/CommandsHere.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { FileDrop } from './FileDrop.tsx'
import { FileMenu } from './FileMenu.tsx'
import { KeepNotice } from './KeepNotice.tsx'
import { TabItem } from './TabItem.tsx'
import { useTabs } from './tabs-of.ts'
import { useFileActions } from './use-file-actions.ts'
import { useTabCommands } from './use-tab-commands.ts'

/** The documents that are open, as tabs; how the shown one is kept; what can be done with it as a file. */
export function EditorTabs() {
  const [tabs, { tabs: all, current }] = useTabs((state) => state)
  const actions = useFileActions()
  const commands = useTabCommands(tabs, actions, all)
  const shown = all.find(({ workflowId }) => workflowId === current)
  return (
    <>
      <div className="flex min-h-9 items-stretch border-b border-line bg-surface-0">
        <nav aria-label="Open workflows" className="flex min-w-0 overflow-x-auto">
          <ul className="flex items-stretch">
            {all.map((tab, at) => (
              <TabItem
                key={tab.workflowId}
                tab={tab}
                at={at}
                tabs={tabs}
                actions={actions}
                isCurrent={tab.workflowId === current}
              />
            ))}
          </ul>
        </nav>
        <div className="flex items-center px-1">
          <IconButton label="New empty workflow" onClick={() => void actions.newEmpty()}>
            <Plus />
          </IconButton>
        </div>
        <FileMenu open={shown?.open} actions={actions} />
      </div>
      {shown?.open !== undefined && <KeepNotice keeper={shown.open.keeper} actions={actions} />}
      <FileDrop what="Drop files to open them in tabs" onFiles={actions.openFiles} />
      <CommandsHere commands={commands} />
    </>
  )
}
