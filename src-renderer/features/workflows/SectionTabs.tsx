import { ADDRESS } from '../../addresses.ts'
import { Tabs } from '../../ui/Tabs.tsx'

/** The parts of the section. */
export type SectionTabsProps = { readonly current: 'library' | 'gallery' | 'sweeps' | 'published' }

/** The parts of the section, as tabs below the header. */
export function SectionTabs({ current }: SectionTabsProps) {
  return (
    <Tabs
      label="Workflows"
      tabs={[
        { name: 'Library', to: ADDRESS.workflows, current: current === 'library' },
        { name: 'Gallery', to: ADDRESS.gallery(), current: current === 'gallery' },
        { name: 'Sweeps', to: ADDRESS.sweeps, current: current === 'sweeps' },
        { name: 'Published', to: ADDRESS.publishedGraphs, current: current === 'published' },
      ]}
    />
  )
}
