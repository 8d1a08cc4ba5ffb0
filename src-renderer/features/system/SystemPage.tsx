import type { ReactNode } from 'react'
import { ADDRESS, SYSTEM_TAB_NAMES, SYSTEM_TABS, type SystemTab } from '../../addresses.ts'
import type { Command } from '../../store/app-slices.ts'
import { Page } from '../../ui/Page.tsx'
import { Tabs } from '../../ui/Tabs.tsx'

export type SystemPageProps = {
  readonly tab: SystemTab
  readonly state?: ReactNode
  readonly actions?: ReactNode
  readonly commands?: readonly Command[]
  readonly fills?: boolean
  readonly children: ReactNode
}

const CRUMBS = [{ name: 'System' }]

export function SystemPage({ tab, ...rest }: SystemPageProps) {
  const tabs = SYSTEM_TABS.map((one) => ({
    name: SYSTEM_TAB_NAMES[one],
    to: ADDRESS.system(one),
    current: one === tab,
  }))
  return <Page {...rest} crumbs={CRUMBS} tabs={<Tabs label="Parts of the system" tabs={tabs} />} />
}
