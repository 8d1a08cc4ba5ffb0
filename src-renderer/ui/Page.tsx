import clsx from 'clsx'
import { type ReactNode, useEffect } from 'react'
import { Link } from 'wouter'
import type { Command } from '../store/commands-slice.ts'
import { CommandsHere } from './CommandsHere.tsx'
import { useOpened } from './use-opened.ts'
import { WayUp } from './WayUp.tsx'

/** A page: where it is, its state, its main action, its tabs, its content. */
export type PageProps = {
  /** From the section to this page; all but the last lead somewhere. */
  readonly crumbs: readonly { readonly name: string; readonly to?: string }[]
  readonly state?: ReactNode
  /** At the top right; the main action first. */
  readonly actions?: ReactNode
  readonly tabs?: ReactNode
  /** What the palette offers while this page is shown. */
  readonly commands?: readonly Command[]
  /** The content takes the height there is and scrolls within itself, like a long table. */
  readonly fills?: boolean
  readonly children: ReactNode
}

/** The frame of each page's content. */
export function Page({ crumbs, state, actions, tabs, commands, fills = false, children }: PageProps) {
  const title = crumbs.map(({ name }) => name).toReversed()
  useEffect(() => {
    document.title = [...title, 'Drydock'].join(' · ')
  })
  // A page with a way up is of a thing; that there is none has no way up.
  useOpened(crumbs.length > 1 ? crumbs.at(-1)?.name : undefined)
  return (
    <>
      <header className="shrink-0 border-b border-line bg-surface-1 px-4">
        <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 py-2">
          <Breadcrumb crumbs={crumbs} />
          {state}
          <div className="ml-auto flex items-center gap-2">{actions}</div>
        </div>
        {tabs}
      </header>
      <main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto p-4 outline-none">
        <div className={clsx('mx-auto flex max-w-[1440px] flex-col gap-4', fills ? 'h-full' : 'min-h-full')}>
          {children}
        </div>
      </main>
      <WayUp parent={crumbs.at(-2)} />
      {commands !== undefined && <CommandsHere commands={commands} />}
    </>
  )
}

// Names of this length or less stay whole; longer ones give way where there is no room, in characters.
const SHORT = 20

function Breadcrumb({ crumbs }: Pick<PageProps, 'crumbs'>) {
  return (
    <nav aria-label="Where you are" className="min-w-0">
      <ol className="flex items-center gap-1.5 text-section">
        {crumbs.map(({ name, to }, at) => (
          <li key={name} className={clsx('flex items-center gap-1.5', name.length > SHORT ? 'min-w-0' : 'shrink-0')}>
            {at > 0 && (
              <span aria-hidden className="text-ink-2">
                /
              </span>
            )}
            {at === crumbs.length - 1 ? (
              <h1 className="truncate font-semibold">{name}</h1>
            ) : (
              <Link to={to ?? '/'} className="truncate text-ink-2 hover:text-ink hover:underline">
                {name}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}
