import { useQuery } from '@tanstack/react-query'
import { FilePlus2, FolderOpen, LayoutTemplate, Plus, Workflow } from 'lucide-react'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import type { WorkflowTemplate, WorkflowView } from '../../../../src-main/contract/workflows.ts'
import { ago, counted } from '../../../../src-main/lib/text.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import type { Command } from '../../../store/app-slices.ts'
import { Button } from '../../../ui/Button.tsx'
import { SidePanel } from '../../../ui/Dialog.tsx'
import { SearchField } from '../../../ui/form/Field.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { exactTime } from '../../../ui/format.ts'
import { Menu } from '../../../ui/Menu.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, ErrorNotice, QueryState, Skeleton } from '../../../ui/PageStates.tsx'
import { useSearchParts } from '../../../ui/use-address.ts'
import { openText } from '../../workflow-editor/files/document-text.ts'
import { filesOf, openVersion } from '../../workflow-editor/files/editor-files.ts'
import { FileDrop } from '../../workflow-editor/files/FileDrop.tsx'
import { renderThumbnail } from '../../workflow-editor/files/render-graph.ts'
import { ServerOffer } from '../../workflow-editor/run/ServerOffer.tsx'
import { SectionTabs } from '../SectionTabs.tsx'
import { workflowsQuery } from '../workflow-queries.ts'
import { type LibraryActions, useLibraryActions } from './use-library-actions.ts'
import { WorkflowWall } from './WorkflowWall.tsx'

const SORTS = { changed: 'Last changed', name: 'Name', nodes: 'Most nodes' } as const

type Sort = keyof typeof SORTS

const COMPARE: Readonly<Record<Sort, (one: WorkflowView, other: WorkflowView) => number>> = {
  changed: (one, other) => other.updatedAt - one.updatedAt,
  name: (one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }),
  nodes: (one, other) => other.nodes - one.nodes,
}

export function sortOf(text: string | null): Sort {
  return text !== null && Object.hasOwn(SORTS, text) ? (text as Sort) : 'changed'
}

export function arrange(workflows: readonly WorkflowView[], text: string, sort: Sort): readonly WorkflowView[] {
  const terms = text.toLowerCase().split(/\s+/)
  const isWanted = ({ name }: WorkflowView) => terms.every((term) => name.toLowerCase().includes(term))
  return workflows.filter(isWanted).toSorted(COMPARE[sort])
}

const CRUMBS = [{ name: 'Workflows' }]
const SORT_CHOICES = Object.entries(SORTS).map(([value, label]) => ({ value, label }))
const NOTHING: readonly WorkflowView[] = []

export function LibraryPage() {
  const { client } = useApp()
  const { data, error, refetch } = useQuery(workflowsQuery(client))
  const [search, set] = useAddress()
  const actions = useLibraryActions()
  const [text, sort] = [search.get('q') ?? '', sortOf(search.get('sort'))]
  const all = data?.workflows ?? NOTHING
  const shown = useMemo(() => arrange(all, text, sort), [all, text, sort])
  const openTemplates = useCallback(() => set('new', 'template'), [set])
  const openVersions = useCallback((id: string) => set('versions', id), [set])
  const commands = useCommands(actions, openTemplates)
  const versionsOf = all.find(({ id }) => id === search.get('versions'))
  const fromTemplate = { label: 'From a template', detail: 'Graphs that run right away', icon: <LayoutTemplate /> }
  const empty = { label: 'Empty', detail: 'A canvas without nodes', icon: <FilePlus2 /> }
  const news = [
    { ...fromTemplate, onSelect: openTemplates },
    { ...empty, onSelect: () => void actions.newEmpty() },
  ]
  return (
    <Page
      crumbs={CRUMBS}
      commands={commands}
      tabs={<SectionTabs current="library" />}
      actions={
        <>
          {all.length > 0 && (
            <>
              <SearchField label="Search workflows" value={text} onChange={(q) => set('q', q)} />
              <Select
                aria-label="Order"
                value={sort}
                choices={SORT_CHOICES}
                onChange={(value) => set('sort', value === 'changed' ? undefined : value)}
              />
            </>
          )}
          <Button onClick={() => void actions.open()}>
            <FolderOpen aria-hidden /> Open file
          </Button>
          <Menu groups={[news]}>
            <Button kind="main">
              <Plus aria-hidden /> New workflow
            </Button>
          </Menu>
        </>
      }
    >
      {error !== null && <ErrorNotice error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Skeleton className="h-96" />}
      {data?.workflows.length === 0 && (
        <>
          <EmptyState
            icon={<Workflow />}
            command="drydock workflow run workflow.json --endpoint sketch"
            action={<Button onClick={openTemplates}>Start from a template</Button>}
          >
            There are no workflows yet. Start from a template, or drop a file here: a workflow as JSON, or a picture
            that holds the graph that made it.
          </EmptyState>
          <ServerOffer className="w-full max-w-xl self-center rounded-control border border-line" />
        </>
      )}
      {all.length > 0 && shown.length === 0 && <EmptyState>No workflow has “{text}” in its name.</EmptyState>}
      {shown.length > 0 && <WorkflowWall workflows={shown} actions={actions} onVersions={openVersions} />}
      <FileDrop onFiles={actions.openFiles} what="Drop files to open them as workflows" />
      {search.get('new') === 'template' && (
        <TemplatePanel onUse={actions.newFrom} onClose={() => set('new', undefined)} />
      )}
      {versionsOf !== undefined && (
        <VersionsPanel key={versionsOf.id} workflow={versionsOf} onClose={() => set('versions', undefined)} />
      )}
    </Page>
  )
}

type Part = 'q' | 'sort' | 'new' | 'versions'

function useAddress() {
  const [search, setParts] = useSearchParts()
  const set = useCallback(
    // Otherwise each keystroke of a search would add a history entry.
    (name: Part, value: string | undefined) => setParts({ [name]: value }, { replace: name === 'q' }),
    [setParts],
  )
  return [search, set] as const
}

function useCommands(actions: LibraryActions, openTemplates: () => void): readonly Command[] {
  return useMemo(
    () =>
      [
        { id: 'new-workflow', label: 'New empty workflow', keys: 'n', run: () => void actions.newEmpty() },
        { id: 'new-from-template', label: 'New workflow from a template', keys: 't', run: openTemplates },
        { id: 'open-workflow-file', label: 'Open a file as a workflow', keys: 'o', run: () => void actions.open() },
      ].map((command) => ({ ...command, group: 'Workflows here' })),
    [actions, openTemplates],
  )
}

type TemplatePanelProps = {
  readonly onUse: (name: string, text: string) => Promise<void>
  readonly onClose: () => void
}

function TemplatePanel({ onUse, onClose }: TemplatePanelProps) {
  const { client } = useApp()
  const { data, error } = useQuery({
    queryKey: ['workflow-templates'],
    queryFn: ({ signal }) => client.call('workflowTemplates', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <SidePanel open onOpenChange={(open) => !open && onClose()} title="New from a template">
      <p className="mb-3 text-ink-2">
        They run on the endpoint <span className="font-mono text-small">sketch</span>, which draws without a model, so
        you can try graphs on any machine. It is a stand-in: choose another endpoint for real pictures.
      </p>
      <QueryState data={data} error={error} rows={6} />
      <ul className="flex flex-col gap-2">
        {data?.templates.map((template) => (
          <li key={template.id} className="flex items-start gap-3 rounded-control border border-line p-2">
            <TemplatePicture template={template} />
            <div className="min-w-0 flex-1">
              <h3 className="font-medium">{template.name}</h3>
              <p className="text-ink-2">{template.summary}</p>
              <p className="text-small text-ink-2">{counted(template.nodes, 'node')}</p>
            </div>
            <Button aria-label={`Use ${template.name}`} onClick={() => void onUse(template.name, template.text)}>
              Use
            </Button>
          </li>
        ))}
      </ul>
    </SidePanel>
  )
}

function TemplatePicture({ template }: { readonly template: WorkflowTemplate }) {
  const app = useApp()
  const { data: picture } = useQuery({
    queryKey: ['template-picture', template.id],
    queryFn: async () => {
      const opened = openText(template.text)
      return opened.kind === 'fault'
        ? null
        : await renderThumbnail(opened.document, await filesOf(app).types.read(undefined))
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (picture === undefined || picture === null) return
    const made = URL.createObjectURL(picture)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [picture])
  return (
    <div className="aspect-8/5 w-32 shrink-0 rounded-control bg-surface-0">
      {address !== undefined && <img src={address} alt="" className="enters size-full object-contain" />}
    </div>
  )
}

function VersionsPanel({ workflow, onClose }: { readonly workflow: WorkflowView; readonly onClose: () => void }) {
  const app = useApp()
  const [, go] = useLocation()
  const { data, error } = useQuery({
    queryKey: ['workflow-versions', workflow.id],
    queryFn: ({ signal }) => app.client.call('workflowVersions', { path: { workflowId: workflow.id }, signal }),
  })
  async function open(version: number): Promise<void> {
    const problem = await openVersion(app, workflow.id, version)
    if (problem === undefined) go(ADDRESS.workflow(workflow.id))
    else app.store.getState().notify({ kind: 'error', text: problem })
  }
  const now = app.platform.now()
  return (
    <SidePanel open onOpenChange={(isOpen) => !isOpen && onClose()} title={`Versions of ${workflow.name}`}>
      {workflow.draft > 0 && (
        <p className="mb-3 rounded-control bg-warn-soft px-3 py-2 text-warn-ink">
          Edits are stored as a draft and not yet saved as a version.
        </p>
      )}
      <QueryState data={data} error={error} rows={4} />
      {data?.versions.length === 0 && (
        <p className="text-ink-2">No version has been saved yet. Save one in the editor.</p>
      )}
      <ul className="flex flex-col gap-2">
        {data?.versions.map(({ version, savedAt, nodes }) => (
          <li key={version} className="flex items-center gap-3 rounded-control border border-line px-3 py-2">
            <div className="min-w-0 flex-1">
              <h3 className="font-medium">Version {version}</h3>
              <p className="text-small text-ink-2" title={exactTime(savedAt)}>
                {counted(nodes, 'node')} · saved {ago(savedAt, now)}
              </p>
            </div>
            <Button aria-label={`Open version ${version}`} onClick={() => void open(version)}>
              Open
            </Button>
          </li>
        ))}
      </ul>
    </SidePanel>
  )
}
