import { useEffect, useState } from 'react'
import { Redirect, useLocation, useSearch } from 'wouter'
import { ADDRESS } from '../addresses.ts'
import { NotFound } from '../ui/NotFound.tsx'
import { SkeletonRows } from '../ui/Skeleton.tsx'
import { type LoadedPages, loadAllPages, loadPage, sectionOf } from './page-loaders.ts'

/** The page of the address. Pages route what follows the section themselves. */
export function Pages({ first }: { readonly first: LoadedPages }) {
  const [path] = useLocation()
  const section = sectionOf(path)
  const pages = useLoadedPages(first, section)
  if (path === '/') return <Home />
  if (section === undefined) return <NotFound />
  const Section = pages[section]
  return Section === undefined ? <SkeletonRows rows={8} /> : <Section />
}

// Not by React.lazy: it keeps what stands in for a page for 300 ms, also where the page is there after 20.
function useLoadedPages(first: LoadedPages, section: ReturnType<typeof sectionOf>): LoadedPages {
  const [pages, setPages] = useState(first)
  const [fault, setFault] = useState<unknown>()
  const isMissing = section !== undefined && pages[section] === undefined

  useEffect(() => {
    if (section !== undefined && isMissing)
      loadPage(section).then((loaded) => setPages((before) => ({ ...before, ...loaded })), setFault)
  }, [section, isMissing])

  useEffect(() => {
    const idle = requestIdleCallback(() => {
      void loadAllPages().then((loaded) => setPages((before) => ({ ...loaded, ...before })))
    })
    return () => cancelIdleCallback(idle)
  }, [])

  if (isMissing && fault !== undefined) throw fault
  return pages
}

// What else the address says stays: whether the link of a sign-in was good.
function Home() {
  const search = useSearch()
  return <Redirect to={search === '' ? ADDRESS.endpoints : `${ADDRESS.endpoints}?${search}`} replace />
}
