import { WORKFLOW_TABS } from '../../addresses.ts'
import { Tabs } from '../../ui/Tabs.tsx'

export function SectionTabs({ current }: { readonly current: (typeof WORKFLOW_TABS)[number]['tab'] }) {
  return (
    <Tabs label="Workflows" tabs={WORKFLOW_TABS.map(({ tab, name, to }) => ({ name, to, current: tab === current }))} />
  )
}
