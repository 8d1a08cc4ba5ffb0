/** The table of pages. Each section is a bundle of its own. */
import type { ComponentType } from 'react'
import { PAGE_SECTIONS, type PageSection } from '../../src-main/contract/pages.ts'

/** Pages that are loaded, by section. */
export type LoadedPages = Readonly<Partial<Record<PageSection, ComponentType>>>

const LOADERS: Readonly<Record<PageSection, () => Promise<ComponentType>>> = {
  endpoints: async () => (await import('../features/endpoints/EndpointPages.tsx')).EndpointPages,
  jobs: async () => (await import('../features/jobs/JobPages.tsx')).JobPages,
  workers: async () => (await import('../features/workers/WorkerPages.tsx')).WorkerPages,
  apps: async () => (await import('../features/apps/AppPages.tsx')).AppPages,
  workflows: async () => (await import('../features/workflows/WorkflowPages.tsx')).WorkflowPages,
  models: async () => (await import('../features/models/ModelPages.tsx')).ModelPages,
  catalog: async () => (await import('../features/catalog/CatalogPages.tsx')).CatalogPages,
  system: async () => (await import('../features/system/SystemPages.tsx')).SystemPages,
  settings: async () => (await import('../features/settings/SettingsPages.tsx')).SettingsPages,
}

/** The section of an address; undefined where it leads to none. */
export function sectionOf(path: string): PageSection | undefined {
  return PAGE_SECTIONS.find((section) => section === path.split('/')[1])
}

/** Loads a section. Rejects where its file cannot be had. */
export async function loadPage(section: PageSection): Promise<LoadedPages> {
  return { [section]: await LOADERS[section]() }
}

/** Loads all sections, so that each opens at once; those that cannot be had are left out. */
export async function loadAllPages(): Promise<LoadedPages> {
  const loads = await Promise.allSettled(PAGE_SECTIONS.map(loadPage))
  return Object.assign({}, ...loads.map((load) => (load.status === 'fulfilled' ? load.value : {})))
}
