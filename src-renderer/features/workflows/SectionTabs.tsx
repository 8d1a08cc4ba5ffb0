import { WORKFLOW_TABS } from '../../addresses.ts'
import { Tabs } from '../../ui/Tabs.tsx'

/** The parts of the section. */
export type SectionTabsProps = { readonly current: (typeof WORKFLOW_TABS)[number]['tab'] }

/** The parts of the section, as tabs below the header. */
export function SectionTabs({ current }: SectionTabsProps) {
  return (
    <Tabs label="Workflows" tabs={WORKFLOW_TABS.map(({ tab, name, to }) => ({ name, to, current: tab === current }))} />
  )
}
