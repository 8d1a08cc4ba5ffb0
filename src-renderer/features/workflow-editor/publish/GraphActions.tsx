import { Ellipsis } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { ADDRESS } from '../../../addresses.ts'
import type { Command } from '../../../store/app-slices.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { CommandsHere } from '../../../ui/Page.tsx'
import { useTab } from '../store/editor-store.ts'
import { PublishPanel } from './PublishPanel.tsx'
import { SweepPanel } from './SweepPanel.tsx'

type Panel = 'publish' | 'sweep'

export function GraphActions({ name }: { readonly name: string }) {
  const { workflowId } = useTab()
  const [, go] = useLocation()
  const [panel, setPanel] = useState<Panel>()
  const close = () => setPanel(undefined)
  const commands = useMemo<readonly Command[]>(
    () => [
      {
        id: 'graph-publish',
        group: 'This graph',
        label: 'Publish as an endpoint',
        also: 'new endpoint',
        run: () => setPanel('publish'),
      },
      {
        id: 'graph-sweep',
        group: 'This graph',
        label: 'Sweep over values',
        also: 'new sweep',
        run: () => setPanel('sweep'),
      },
      {
        id: 'graph-form',
        group: 'This graph',
        label: 'Show as a form',
        run: () => go(ADDRESS.workflowForm(workflowId)),
      },
    ],
    [go, workflowId],
  )
  return (
    <>
      <Button onClick={() => setPanel('publish')}>Publish</Button>
      <Menu
        groups={[
          [
            { label: 'Sweep', detail: 'Run with lists and ranges of values', onSelect: () => setPanel('sweep') },
            {
              label: 'Form',
              detail: 'Only the chosen inputs',
              onSelect: () => go(ADDRESS.workflowForm(workflowId)),
            },
          ],
        ]}
      >
        <IconButton label="More actions for this graph" icon={<Ellipsis />} />
      </Menu>
      {panel === 'publish' && <PublishPanel name={name} onClose={close} />}
      {panel === 'sweep' && <SweepPanel name={name} onClose={close} />}
      <CommandsHere commands={commands} />
    </>
  )
}
