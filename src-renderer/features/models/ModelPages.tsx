import { useQuery } from '@tanstack/react-query'
import { Layers } from 'lucide-react'
import { useMemo } from 'react'
import { Route, Switch } from 'wouter'
import type { ModelView } from '../../../src-main/contract/models.ts'
import { counted } from '../../../src-main/lib/text.ts'
import { ADDRESS } from '../../addresses.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { SearchField } from '../../ui/form/Field.tsx'
import { bytes } from '../../ui/format.ts'
import { DownloadRow } from '../../ui/ModelDownloads.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorNotice, NotFound, SkeletonRows } from '../../ui/PageStates.tsx'
import { Table } from '../../ui/table/Table.tsx'
import { type SearchParts, useAddressSort, useSearchParts } from '../../ui/use-address.ts'
import { modelsQuery, modelUsesQuery, useLiveModels, useModelDownloads } from '../../ui/use-models.ts'
import { DownloadPanel, HostsCard } from './DownloadPanel.tsx'
import { FoldersCard } from './FoldersCard.tsx'
import { MODEL_COLUMNS, type ModelRow, rowIdOf } from './ModelColumns.tsx'
import { ModelPanel } from './ModelPanel.tsx'

export function ModelPages() {
  return (
    <Switch>
      <Route path={ADDRESS.models()} component={ModelsPage} />
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

function ModelsPage() {
  useLiveModels(true)
  const { client } = useApp()
  const { data, error, refetch } = useQuery(modelsQuery(client))
  const { data: uses } = useQuery(modelUsesQuery(client))
  const downloads = useModelDownloads()
  const [search, set] = useSearchParts()
  const show = (parts: SearchParts) => set(parts, { replace: false })
  const [sort, setSort] = useAddressSort()
  const text = search.get('q') ?? ''
  const rows = useMemo<readonly ModelRow[]>(() => {
    const terms = text.toLowerCase().split(/\s+/)
    return (data?.models ?? [])
      .filter((model) => terms.every((term) => searchTextOf(model).includes(term)))
      .map((model) => ({ ...model, uses: uses?.uses[model.name] ?? [] }))
  }, [data, uses, text])
  const open = rows.find((row) => rowIdOf(row) === search.get('model'))
  const openDownload = () => show({ new: 'download' })
  const command = { id: 'model-download', group: 'Models', label: 'Download a model', also: 'new model', keys: 'n' }
  const total = data?.models.reduce((sum, model) => sum + model.bytes, 0) ?? 0
  const isEmpty = data?.models.length === 0
  return (
    <Page
      crumbs={[{ name: 'Models' }]}
      commands={[{ ...command, run: openDownload }]}
      state={
        data !== undefined &&
        !isEmpty && <span className="text-ink-2">{`${counted(data.models.length, 'model')}, ${bytes(total)}`}</span>
      }
      actions={
        <>
          {!isEmpty && <SearchField label="Search models" value={text} onChange={(q) => set({ q })} />}
          <Button kind="main" onClick={openDownload}>
            Download a model
          </Button>
        </>
      }
    >
      {error !== null && <ErrorNotice error={error} onRetry={refetch} />}
      {downloads.length > 0 && (
        <Card title="Downloads">
          <ul className="max-h-72 divide-y divide-line overflow-y-auto">
            {downloads.map((download) => (
              <DownloadRow key={download.id} download={download} />
            ))}
          </ul>
        </Card>
      )}
      {data === undefined && error === null && <SkeletonRows rows={8} />}
      {isEmpty && (
        <EmptyState icon={<Layers />} command="drydock models folders add ~/ComfyUI/models --first">
          There are no models yet. Download one, or add the models folder of your ComfyUI.
        </EmptyState>
      )}
      {data !== undefined && !isEmpty && rows.length === 0 && (
        <EmptyState>No model has “{text}” in its name, directory or kind.</EmptyState>
      )}
      {rows.length > 0 && (
        <Table
          label="Models"
          columns={MODEL_COLUMNS}
          rows={rows}
          rowId={rowIdOf}
          onOpen={(row) => show({ model: rowIdOf(row) })}
          sort={sort}
          onSort={setSort}
          className="max-h-[60vh] shrink-0 rounded-control border border-line bg-surface-1"
        />
      )}
      {data?.more && <p className="text-small text-ink-2">Only the first 10,000 models of a folder are listed.</p>}
      <FoldersCard />
      <HostsCard />
      {open !== undefined && <ModelPanel model={open} onClose={() => show({ model: undefined })} />}
      {search.get('new') === 'download' && (
        <DownloadPanel
          name={search.get('name') ?? ''}
          directory={search.get('directory') ?? ''}
          onClose={() => show({ new: undefined, name: undefined, directory: undefined })}
        />
      )}
    </Page>
  )
}

const searchTextOf = ({ name, directory, kind, architecture, title, format }: ModelView) =>
  [name, directory, kind, architecture, title, format].join(' ').toLowerCase()
