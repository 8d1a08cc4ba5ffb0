import clsx from 'clsx'
import { Link } from 'wouter'

/** The tabs of a page. Each is a page of its own address, so they are links. */
export type TabsProps = {
  readonly label: string
  readonly tabs: readonly { readonly name: string; readonly to: string; readonly current: boolean }[]
}

/** Tabs below a page's header. */
export function Tabs({ label, tabs }: TabsProps) {
  return (
    <nav aria-label={label} className="-mb-px flex gap-1 overflow-x-auto">
      {tabs.map(({ name, to, current }) => (
        <Link
          key={name}
          to={to}
          aria-current={current ? 'page' : undefined}
          className={clsx(
            'border-b-2 px-2 py-1.5 whitespace-nowrap -outline-offset-2',
            current
              ? 'border-accent font-medium text-ink'
              : 'border-transparent text-ink-2 hover:border-line-strong hover:text-ink',
          )}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
