import { type ComponentType, useEffect, useState } from 'react'
import { Redirect, useLocation, useSearch } from 'wouter'
import { HELLO } from '../../src-main/contract/catalog.ts'
import { PAGE_SECTIONS, type PageSection } from '../../src-main/contract/pages.ts'
import { ADDRESS } from '../addresses.ts'
import { loadCode } from '../browser/load-code.ts'
import { useAppState } from '../store/app-context.ts'
import { NotFound, SkeletonRows } from '../ui/PageStates.tsx'
import { isSample } from '../ui/samples.ts'

export function Pages({ first }: { readonly first: LoadedPages }) {
  const [path] = useLocation()
  const section = sectionOf(path)
  const pages = useLoadedPages(first, section)
  if (path === '/') return <Home />
  if (section === undefined) return <NotFound />
  const Section = pages[section]
  return Section === undefined ? <SkeletonRows rows={8} /> : <Section />
}

// Not React.lazy, which shows its fallback for 300 ms even if the page loads in 20.
function useLoadedPages(first: LoadedPages, section: ReturnType<typeof sectionOf>): LoadedPages {
  const [pages, setPages] = useState(first)
  const [error, setError] = useState<unknown>()
  const isMissing = section !== undefined && pages[section] === undefined

  useEffect(() => {
    if (section !== undefined && isMissing)
      loadPage(section).then((loaded) => setPages((before) => ({ ...before, ...loaded })), setError)
  }, [section, isMissing])

  useEffect(() => {
    const idle = requestIdleCallback(() => {
      void loadAllPages().then((loaded) => setPages((before) => ({ ...loaded, ...before })))
    })
    return () => cancelIdleCallback(idle)
  }, [])

  if (isMissing && error !== undefined) throw error
  return pages
}

// Keeps the rest of the address, such as a failed sign-in.
function Home() {
  const search = useSearch()
  const isLoaded = useAppState(({ live }) => live.loaded)
  const isNew = useAppState(
    ({ live: { endpoints } }) => endpoints[HELLO] !== undefined && Object.values(endpoints).every(isSample),
  )
  if (search === '' && !isLoaded) return <SkeletonRows rows={8} />
  if (search === '' && isNew) return <Redirect to={`${ADDRESS.endpoint(HELLO, 'requests')}?focus=body`} replace />
  return <Redirect to={search === '' ? ADDRESS.endpoints : `${ADDRESS.endpoints}?${search}`} replace />
}

export type LoadedPages = Readonly<Partial<Record<PageSection, ComponentType>>>

const LOADERS: Readonly<Record<PageSection, () => Promise<ComponentType>>> = {
  endpoints: async () => (await loadCode(() => import('../features/endpoints/EndpointPages.tsx'))).EndpointPages,
  jobs: async () => (await loadCode(() => import('../features/jobs/JobPages.tsx'))).JobPages,
  workers: async () => (await loadCode(() => import('../features/workers/WorkerPages.tsx'))).WorkerPages,
  machines: async () => (await loadCode(() => import('../features/machines/MachinePages.tsx'))).MachinePages,
  apps: async () => (await loadCode(() => import('../features/apps/AppPages.tsx'))).AppPages,
  workflows: async () => (await loadCode(() => import('../features/workflows/WorkflowPages.tsx'))).WorkflowPages,
  models: async () => (await loadCode(() => import('../features/models/ModelPages.tsx'))).ModelPages,
  catalog: async () => (await loadCode(() => import('../features/catalog/CatalogPages.tsx'))).CatalogPages,
  system: async () => (await loadCode(() => import('../features/system/SystemPages.tsx'))).SystemPages,
  flash: async () => (await loadCode(() => import('../features/sign-in/SignInPages.tsx'))).SignInPages,
  settings: async () => (await loadCode(() => import('../features/settings/SettingsPages.tsx'))).SettingsPages,
}

export function sectionOf(path: string): PageSection | undefined {
  return PAGE_SECTIONS.find((section) => section === path.split('/')[1])
}

export async function loadPage(section: PageSection): Promise<LoadedPages> {
  return { [section]: await LOADERS[section]() }
}

async function loadAllPages(): Promise<LoadedPages> {
  const loads = await Promise.allSettled(PAGE_SECTIONS.map(loadPage))
  return Object.assign({}, ...loads.map((load) => (load.status === 'fulfilled' ? load.value : {})))
}
