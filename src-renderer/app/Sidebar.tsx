import clsx from 'clsx'
import {
  Activity,
  AppWindow,
  Boxes,
  Cpu,
  Layers,
  LayoutGrid,
  ListChecks,
  type LucideIcon,
  PanelLeftClose,
  PanelLeftOpen,
  Server,
  Settings,
  Workflow,
} from 'lucide-react'
import { Link, useLocation } from 'wouter'
import type { PageSection } from '../../src-main/contract/pages.ts'
import { ADDRESS } from '../addresses.ts'
import { IconButton } from '../ui/Button.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'
import { useSidebar } from '../ui/use-sidebar.ts'

export function Sidebar() {
  const { pinned, toggle } = useSidebar()
  return (
    <nav
      aria-label="Sections"
      className={clsx('flex shrink-0 flex-col gap-1 border-r border-line bg-surface-1 p-2', pinned ? 'w-50' : 'w-14')}
    >
      <div className={clsx('mb-2 flex items-center gap-2', pinned ? 'h-8 pl-1' : 'flex-col')}>
        <Logo className="size-7" />
        {pinned && <span className="flex-1 font-semibold">Drydock</span>}
        <IconButton label={pinned ? 'Collapse the sidebar' : 'Pin the sidebar'} onClick={toggle}>
          {pinned ? <PanelLeftClose /> : <PanelLeftOpen />}
        </IconButton>
      </div>
      {SECTIONS.map((section) => (
        <SectionLink key={section.section} section={section} pinned={pinned} />
      ))}
      <div className="mt-auto" />
      <SectionLink section={SETTINGS_SECTION} pinned={pinned} />
    </nav>
  )
}

function SectionLink({ section, pinned }: { readonly section: Section; readonly pinned: boolean }) {
  const { name, to, icon: Icon } = section
  const [location] = useLocation()
  const current = location === to || location.startsWith(`${to}/`)
  const link = (
    <Link
      to={to}
      aria-label={name}
      aria-current={current ? 'page' : undefined}
      className={clsx(
        'flex h-8 items-center gap-2.5 rounded-control',
        pinned ? 'px-2' : 'w-10 justify-center',
        current ? 'bg-accent-soft font-medium text-ink' : 'text-ink-2 hover:bg-surface-2 hover:text-ink',
      )}
    >
      <Icon aria-hidden className={clsx('size-[18px] stroke-[1.6]', current && 'text-accent')} />
      {pinned && name}
    </Link>
  )
  if (pinned) return link
  return (
    <Tooltip text={name} side="right">
      {link}
    </Tooltip>
  )
}

type Section = {
  readonly section: PageSection
  readonly name: string
  readonly to: string
  readonly icon: LucideIcon
  readonly key: string
}

export const SECTIONS: readonly Section[] = [
  { section: 'endpoints', name: 'Endpoints', to: ADDRESS.endpoints, icon: Boxes, key: 'e' },
  { section: 'jobs', name: 'Jobs', to: ADDRESS.jobs, icon: ListChecks, key: 'j' },
  { section: 'workers', name: 'Workers', to: ADDRESS.workers, icon: Cpu, key: 'w' },
  { section: 'machines', name: 'Machines', to: ADDRESS.machines, icon: Server, key: 'h' },
  { section: 'workflows', name: 'Workflows', to: ADDRESS.workflows, icon: Workflow, key: 'f' },
  { section: 'models', name: 'Models', to: ADDRESS.models(), icon: Layers, key: 'm' },
  { section: 'apps', name: 'Apps', to: ADDRESS.apps, icon: AppWindow, key: 'a' },
  { section: 'catalog', name: 'Catalog', to: ADDRESS.catalog, icon: LayoutGrid, key: 'c' },
  { section: 'system', name: 'System', to: ADDRESS.system(), icon: Activity, key: 's' },
]

export const SETTINGS_SECTION: Section = {
  section: 'settings',
  name: 'Settings',
  to: ADDRESS.settings,
  icon: Settings,
  key: ',',
}

export function Logo({ className }: { readonly className: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden className={className}>
      <rect width="32" height="32" rx="7" className="fill-accent" />
      <path
        className="fill-on-accent"
        d="M5 20h22l-3.4 5.2a2 2 0 0 1-1.7.8H10.1a2 2 0 0 1-1.7-.8L5 20Zm4.5-3V9.5h4V17h-4Zm6 0V6h4v11h-4Zm6 0v-5h3v5h-3Z"
      />
    </svg>
  )
}
