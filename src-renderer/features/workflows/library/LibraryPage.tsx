import { useQuery } from '@tanstack/react-query'
import { FilePlus2, FolderOpen, LayoutTemplate, Plus, Workflow } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import type { WorkflowView } from '../../../../src-main/contract/workflows.ts'
import { useApp } from '../../../store/app-context.ts'
import type { Command } from '../../../store/app-slices.ts'
import { Button } from '../../../ui/Button.tsx'
import { SearchField } from '../../../ui/form/Field.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, ErrorNotice, Skeleton } from '../../../ui/PageStates.tsx'
import { useSearchParts } from '../../../ui/use-address.ts'
import { FileDrop } from '../../workflow-editor/files/FileDrop.tsx'
import { ServerOffer } from '../../workflow-editor/run/ServerOffer.tsx'
import { SectionTabs } from '../SectionTabs.tsx'
import { workflowsQuery } from '../workflow-queries.ts'
import { TemplatePanel, VersionsPanel } from './LibraryPanels.tsx'
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
