import {
  Activity,
  AppWindow,
  Boxes,
  Cpu,
  Layers,
  LayoutGrid,
  ListChecks,
  type LucideIcon,
  Settings,
  Workflow,
} from 'lucide-react'
import type { PageSection } from '../../src-main/contract/pages.ts'
import { ADDRESS } from '../addresses.ts'

/** A section of the pages, as the sidebar and the palette show it. */
export type Section = {
  readonly section: PageSection
  readonly name: string
  readonly to: string
  readonly icon: LucideIcon
  /** Pressed after `g`. */
  readonly key: string
}

/** The sections, in the order of the sidebar. */
export const SECTIONS: readonly Section[] = [
  { section: 'endpoints', name: 'Endpoints', to: ADDRESS.endpoints, icon: Boxes, key: 'e' },
  { section: 'jobs', name: 'Jobs', to: ADDRESS.jobs, icon: ListChecks, key: 'j' },
  { section: 'workers', name: 'Workers', to: ADDRESS.workers, icon: Cpu, key: 'w' },
  { section: 'workflows', name: 'Workflows', to: ADDRESS.workflows, icon: Workflow, key: 'f' },
  { section: 'models', name: 'Models', to: ADDRESS.models(), icon: Layers, key: 'm' },
  { section: 'apps', name: 'Apps', to: ADDRESS.apps, icon: AppWindow, key: 'a' },
  { section: 'catalog', name: 'Catalog', to: ADDRESS.catalog, icon: LayoutGrid, key: 'c' },
  { section: 'system', name: 'System', to: ADDRESS.system(), icon: Activity, key: 's' },
]

/** At the bottom of the sidebar. */
export const SETTINGS_SECTION: Section = {
  section: 'settings',
  name: 'Settings',
  to: ADDRESS.settings,
  icon: Settings,
  key: ',',
}
