import clsx from 'clsx'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { thingOf } from '../addresses.ts'
import { useApp } from '../store/app-context.ts'
import type { Command } from '../store/app-slices.ts'
import { noteOpened } from '../store/habits.ts'

export type PageProps = {
  readonly crumbs: readonly { readonly name: string; readonly to?: string }[]
  readonly state?: ReactNode
  readonly actions?: ReactNode
  readonly tabs?: ReactNode
  readonly commands?: readonly Command[]
  readonly fills?: boolean
  readonly children: ReactNode
}

export function Page({ crumbs, state, actions, tabs, commands, fills = false, children }: PageProps) {
  const title = crumbs.map(({ name }) => name).toReversed()
  useEffect(() => {
    document.title = [...title, 'Drydock'].join(' · ')
  })
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

// Names up to this many characters are never shortened.
const SHORT = 20

function Breadcrumb({ crumbs }: Pick<PageProps, 'crumbs'>) {
  return (
    <nav aria-label="Breadcrumb" className="min-w-0">
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

function WayUp({ parent }: { readonly parent: PageProps['crumbs'][number] | undefined }) {
  const { store } = useApp()
  const [path, go] = useLocation()
  const search = useSearch()
  const { name, to } = parent ?? {}
  useEffect(() => store.getState().setSearch(path, search), [store, path, search])
  if (to === undefined) return null
  const run = () => go(`${to}${store.getState().searches[to] ?? ''}`)
  return <CommandsHere commands={[{ id: 'go-up', group: 'Go to', label: `Back to ${name}`, keys: 'Escape', run }]} />
}

/** Offers commands in the palette while it is shown. */
export function CommandsHere({ commands }: { readonly commands: readonly Command[] }) {
  const { store } = useApp()
  const latest = useRef(commands)
  useEffect(() => {
    latest.current = commands
  })
  // Offered anew only if their texts change, which JSON keeps; what they do is always the latest.
  const texts = JSON.stringify(commands)
  useEffect(() => {
    const offered = JSON.parse(texts) as readonly Omit<Command, 'run'>[]
    return store.getState().offer(offered.map((one, at) => ({ ...one, run: () => latest.current[at]?.run() })))
  }, [store, texts])
  return null
}

export function useOpened(name: string | undefined): void {
  const { platform } = useApp()
  const [path] = useLocation()
  const to = thingOf(path)?.to
  useEffect(() => {
    if (to !== undefined && name !== undefined && name !== '') noteOpened(platform, { to, name })
  }, [platform, to, name])
}
