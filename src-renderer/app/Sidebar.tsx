import clsx from 'clsx'
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react'
import { Link, useLocation } from 'wouter'
import { IconButton } from '../ui/IconButton.tsx'
import { Logo } from '../ui/Logo.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'
import { useSidebar } from '../ui/use-sidebar.ts'
import { SECTIONS, SETTINGS_SECTION, type Section } from './sections.ts'

/** The sections at the left: pictures alone, or with their names where it is pinned. */
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
        <IconButton label={pinned ? 'Fold the sidebar' : 'Pin the sidebar'} onClick={toggle}>
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
