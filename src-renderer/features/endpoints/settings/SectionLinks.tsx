import clsx from 'clsx'
import { Link } from 'wouter'
import { showSection } from '../../../ui/show-section.ts'

/** Links to the sections of a long page. */
export type SectionLinksProps = {
  readonly links: readonly { readonly id: string; readonly title: string; readonly changed: boolean }[]
  readonly current: string
}

/** At the left and always in sight; in a narrow window one line above. */
export function SectionLinks({ links, current }: SectionLinksProps) {
  return (
    <nav
      aria-label="Sections"
      className="sticky -top-4 z-10 flex gap-x-1 self-start overflow-x-auto bg-surface-0 py-1 lg:top-0 lg:flex-col"
    >
      {links.map(({ id, title, changed }) => (
        <Link
          key={id}
          to={`?section=${id}`}
          replace
          // Also where the address says so already.
          onClick={() => showSection(id)}
          aria-current={id === current ? 'location' : undefined}
          className={clsx(
            'flex items-center gap-2 rounded-control px-2 py-1 whitespace-nowrap hover:bg-surface-2 hover:text-ink',
            id === current ? 'font-medium text-ink' : 'text-ink-2',
          )}
        >
          {title}
          {changed && <span className="size-1.5 rounded-full bg-accent" title="changed" />}
          {changed && <span className="sr-only">changed</span>}
        </Link>
      ))}
    </nav>
  )
}
