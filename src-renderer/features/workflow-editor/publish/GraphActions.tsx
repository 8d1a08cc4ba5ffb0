import { Ellipsis } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { ADDRESS } from '../../../addresses.ts'
import type { Command } from '../../../store/commands-slice.ts'
import { Button } from '../../../ui/Button.tsx'
import { CommandsHere } from '../../../ui/CommandsHere.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { useTab } from '../store/editor-context.ts'
import { SweepPanel } from '../sweep/SweepPanel.tsx'
import { PublishPanel } from './PublishPanel.tsx'

type Panel = 'publish' | 'sweep'

/** What is made of the whole graph: an endpoint, a sweep, a form. */
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
            { label: 'Sweep', detail: 'Run it over lists and ranges of values', onSelect: () => setPanel('sweep') },
            {
              label: 'Form',
              detail: 'Only the inputs that were chosen',
              onSelect: () => go(ADDRESS.workflowForm(workflowId)),
            },
          ],
        ]}
      >
        <IconButton label="More to do with this graph">
          <Ellipsis />
        </IconButton>
      </Menu>
      {panel === 'publish' && <PublishPanel name={name} onClose={close} />}
      {panel === 'sweep' && <SweepPanel name={name} onClose={close} />}
      <CommandsHere commands={commands} />
    </>
  )
}
