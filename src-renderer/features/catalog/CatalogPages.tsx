import { useQuery } from '@tanstack/react-query'
import { Container, FileCode } from 'lucide-react'
import { useMemo, useRef } from 'react'
import { Route, Switch } from 'wouter'
import type { CatalogEntry } from '../../../src-main/contract/catalog.ts'
import { isNodeHandler } from '../../../src-main/contract/endpoint.ts'
import { serverOfEntry, serverText, USUAL_SERVERS } from '../../../src-main/features/workflows/rules/server-address.ts'
import { ADDRESS } from '../../addresses.ts'
import { catalogQuery } from '../../api-client/queries.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { useCardKeys } from '../../ui/cards.ts'
import { SearchField } from '../../ui/form/Field.tsx'
import { asSentence } from '../../ui/format.ts'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorNotice, NotFound, Skeleton } from '../../ui/PageStates.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { useSearchParts } from '../../ui/use-address.ts'
import { useWorkflowServers } from '../../ui/workflow-servers.ts'
import { EntryPanel } from './EntryPanel.tsx'

export function CatalogPages() {
  return (
    <Switch>
      <Route path={ADDRESS.catalog} component={CatalogPage} />
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

function CatalogPage() {
  const { client } = useApp()
  const { data, error, refetch } = useQuery(catalogQuery(client))
  const [search, set] = useSearchParts()
  const show = (entry: string | undefined) => set({ entry }, { replace: false })
  const cards = useRef<HTMLUListElement>(null)
  useCardKeys('Catalog', cards)
  const text = search.get('q') ?? ''
  const entries = useMemo(() => findEntries(data?.entries ?? [], text), [data, text])
  const open = data?.entries.find(({ id }) => id === search.get('entry'))
  return (
    <Page
      crumbs={[{ name: 'Catalog' }]}
      commands={(data?.entries ?? []).map(({ id, name }) => ({
        id: `catalog-${id}`,
        group: 'Catalog',
        label: `Create an endpoint: ${name}`,
        run: () => show(id),
      }))}
      actions={<SearchField label="Search the catalog" value={text} onChange={(q) => set({ q })} />}
    >
      {error !== null && <ErrorNotice error={error} />}
      {data === undefined && error === null && <Skeleton className="h-96" />}
      {data !== undefined && entries.length === 0 && (
        <EmptyState>No entry of the catalog has “{text}” in its name, model or image.</EmptyState>
      )}
      <ul ref={cards} className="grid grid-cols-1 gap-3 md:grid-cols-2 xl:grid-cols-3">
        {entries.map((entry) => (
          <EntryCard key={entry.id} entry={entry} onOpen={() => show(entry.id)} />
        ))}
      </ul>
      {open !== undefined && (
        <EntryPanel key={open.id} entry={open} onClose={() => show(undefined)} onCheckAgain={() => void refetch()} />
      )}
    </Page>
  )
}

function EntryCard({ entry, onOpen }: { readonly entry: CatalogEntry; readonly onOpen: () => void }) {
  const { name, summary, model, image, missing } = entry
  const Icon = image === undefined ? FileCode : Container
  const [first] = missing
  const [does, of] = first === undefined ? ['Create endpoint', 'from'] : ['Missing requirements', 'for']
  const server = serverOfEntry(entry.settings)
  return (
    <li className="flex min-w-0 flex-col gap-2 rounded-control border border-line bg-surface-1 p-3">
      <div className="flex items-start gap-2">
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-2" />
        <div className="min-w-0 flex-1">
          <h2 className="truncate font-semibold">{name}</h2>
          <p className="text-ink-2">{summary}</p>
        </div>
      </div>
      <p className="truncate font-mono text-small text-ink-2" title={image}>
        {image ?? 'handler file'}
      </p>
      <p className="text-small text-ink-2">{[model, ...wantsOf(entry)].filter(Boolean).join(' · ')}</p>
      <div className="mt-auto flex items-end justify-between gap-2 pt-1">
        {first === undefined && server !== undefined && <ServerState />}
        {first === undefined && server === undefined && <StateDot tone="completed" text="Runs on this machine" />}
        {first !== undefined && (
          <div className="min-w-0 text-small">
            <StateDot tone="timed-out" text="Cannot run here yet" />
            <p className="line-clamp-2 text-ink-2" title={first.what}>
              {asSentence(first.what)}
            </p>
          </div>
        )}
        <Button data-card onClick={onOpen} aria-label={`${does} ${of} ${name}`}>
          {does}
        </Button>
      </div>
    </li>
  )
}

export function ServerState() {
  const servers = useWorkflowServers()
  if (servers === undefined) return <StateDot tone="queued" text="Looking for a ComfyUI" />
  const [first] = servers
  if (first !== undefined)
    return <StateDot tone="completed" text={`A ComfyUI answers at ${serverText(first.address)}`} />
  return (
    <div className="min-w-0 text-small">
      <StateDot tone="timed-out" text="No ComfyUI answers here" />
      <p className="text-ink-2">Start it at {USUAL_SERVERS.map(serverText).join(' or ')}, or give its address.</p>
    </div>
  )
}

export function findEntries(entries: readonly CatalogEntry[], text: string): readonly CatalogEntry[] {
  const terms = text.toLowerCase().split(/\s+/)
  return entries
    .filter(({ name, summary, model = '', image = '', id }) => {
      const said = [id, name, summary, model, image].join(' ').toLowerCase()
      return terms.every((term) => said.includes(term))
    })
    .toSorted((one, other) => Number(one.missing.length > 0) - Number(other.missing.length > 0))
}

export function wantsOf({ image, handler, settings, gpuMemoryGb, diskGb, platform }: CatalogEntry): readonly string[] {
  if (image === undefined) return [wantsOfHandler(handler ?? '', settings)]
  const container = settings.container as { readonly gpu?: string } | undefined
  return [
    container?.gpu === undefined ? '' : gpuMemoryGb === undefined ? 'NVIDIA GPU' : `NVIDIA GPU with ${gpuMemoryGb} GB`,
    diskGb === undefined ? '' : `${diskGb} GB of disk`,
    platform ?? '',
  ].filter((want) => want !== '')
}

// TypeScript handlers need nothing else, because Drydock's own Node runs them.
function wantsOfHandler(handler: string, settings: CatalogEntry['settings']): string {
  const server = serverOfEntry(settings)
  if (server !== undefined) return `needs a ComfyUI server at ${server}`
  return isNodeHandler(handler) ? 'no other requirements' : 'needs only Python'
}
