import { Ellipsis } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { ADDRESS } from '../../../addresses.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { CommandsHere } from '../../../ui/Page.tsx'
import { useTab } from '../store/editor-store.ts'
import { PublishPanel } from './PublishPanel.tsx'
import { SweepPanel } from './SweepPanel.tsx'

export function GraphActions({ name, onDeploy }: { readonly name: string; readonly onDeploy: () => void }) {
  const { workflowId } = useTab()
  const [, go] = useLocation()
  const [panel, setPanel] = useState<'publish' | 'sweep'>()
  const close = () => setPanel(undefined)
  const commands = useMemo(
    () =>
      [
        { id: 'publish', label: 'Publish as an endpoint', also: 'new endpoint', run: () => setPanel('publish') },
        { id: 'sweep', label: 'Sweep over values', also: 'new sweep', run: () => setPanel('sweep') },
        { id: 'deploy', label: 'Deploy as a worker image', also: 'build image', run: onDeploy },
        { id: 'form', label: 'Show as a form', run: () => go(ADDRESS.workflowForm(workflowId)) },
      ].map((command) => ({ ...command, id: `graph-${command.id}`, group: 'This graph' })),
    [go, onDeploy, workflowId],
  )
  const sweep = { label: 'Sweep', detail: 'Run with lists and ranges of values', onSelect: () => setPanel('sweep') }
  const toForm = () => go(ADDRESS.workflowForm(workflowId))
  const form = { label: 'Form', detail: 'Only the chosen inputs', onSelect: toForm }
  return (
    <>
      <Button onClick={() => setPanel('publish')}>Publish</Button>
      <Button onClick={onDeploy}>Deploy</Button>
      <Menu groups={[[sweep, form]]}>
        <IconButton label="More actions for this graph" icon={<Ellipsis />} />
      </Menu>
      {panel === 'publish' && <PublishPanel name={name} onClose={close} />}
      {panel === 'sweep' && <SweepPanel name={name} onClose={close} />}
      <CommandsHere commands={commands} />
    </>
  )
}
