import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { AppWindow, BookOpen, FolderOpen, LayoutTemplate, Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import { appsQuery, examplesQuery, foldersQuery, projectsQuery } from '../../api-client/app-queries.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { SidePanel } from '../../ui/Dialog.tsx'
import { Form } from '../../ui/form/Form.tsx'
import { ChoosePath, PathField } from '../../ui/form/PathField.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorNotice, Said, SkeletonRows } from '../../ui/PageStates.tsx'
import { EnvironmentTable } from './deployed/EnvironmentTable.tsx'
import { ProjectTable } from './ProjectTable.tsx'

const AS_IT_IS = 'folder'

export function AppListPage() {
  const { client } = useApp()
  const { data: projectList, error: projectsError } = useQuery(projectsQuery(client))
  const { data: appList, error: appsError } = useQuery(appsQuery(client))
  const [search, setSearch] = useSearchParams()
  const opens = search.get('open') ?? undefined
  const open = (what: string | undefined) => setSearch(what === undefined ? {} : { open: what })
  const projects = projectList?.projects
  const environments = appList?.apps.flatMap((app) => app.environments)
  const nothing = projects?.length === 0 && appList?.apps.length === 0
  return (
    <Page
      crumbs={[{ name: 'Apps' }]}
      commands={[
        { id: 'new-app', group: 'Apps', label: 'New app from the template', keys: 'n', run: () => open('app') },
        {
          id: 'open-folder',
          group: 'Apps',
          label: 'Open a folder with an app',
          also: 'new project new endpoints',
          keys: 'o',
          run: () => open(AS_IT_IS),
        },
      ]}
      actions={
        <>
          <NewAppMenu onOpen={() => open(AS_IT_IS)} onChoose={open} />
          <Button kind="main" onClick={() => open(AS_IT_IS)}>
            <FolderOpen aria-hidden /> Open folder
          </Button>
        </>
      }
    >
      {nothing && (
        <EmptyState
          icon={<AppWindow />}
          command="drydock init hello"
          action={<Button onClick={() => open(AS_IT_IS)}>Open a folder with an app</Button>}
        >
          There are no apps yet. An app is a folder of Python files whose functions become endpoints.
        </EmptyState>
      )}
      {!nothing && (
        <>
          <Part title="Projects on this machine" error={projects === undefined ? projectsError : null}>
            {projects === undefined && <SkeletonRows rows={3} />}
            {projects?.length === 0 && (
              <Hint>No folder has been opened yet. Open one to build, preview and deploy it here.</Hint>
            )}
            {projects !== undefined && projects.length > 0 && <ProjectTable projects={projects} />}
          </Part>
          <Part title="Deployed" error={environments === undefined ? appsError : null}>
            {environments === undefined && <SkeletonRows rows={3} />}
            {environments?.length === 0 && <Hint>Nothing is deployed yet. Open a project and choose Deploy.</Hint>}
            {environments !== undefined && environments.length > 0 && <EnvironmentTable environments={environments} />}
          </Part>
        </>
      )}
      {projects?.length === 0 && <FirstSteps onChoose={open} />}
      {opens !== undefined && (
        <OpenFolderPanel key={opens} from={opens === AS_IT_IS ? undefined : opens} onClose={() => open(undefined)} />
      )}
    </Page>
  )
}

type PartProps = { readonly title: string; readonly error: Error | null; readonly children: React.ReactNode }

function Part({ title, error, children }: PartProps) {
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-section font-medium">{title}</h2>
      {error === null ? children : <ErrorNotice error={error} />}
    </section>
  )
}

function Hint({ children }: { readonly children: string }) {
  return <p className="rounded-control border border-line bg-surface-1 px-3 py-2 text-ink-2">{children}</p>
}

const TEMPLATE = {
  name: 'app',
  summary: 'The template of `drydock init`: an endpoint of each kind, for you to change.',
  endpoints: [],
}

function FirstSteps({ onChoose }: { readonly onChoose: (example: string) => void }) {
  const { client } = useApp()
  const { data } = useQuery(examplesQuery(client))
  if (data === undefined) return null
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-section font-medium">Start with an example</h2>
      <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {[TEMPLATE, ...data.examples].map(({ name, summary, endpoints }) => (
          <li key={name} className="flex flex-col gap-2 rounded-control border border-line bg-surface-1 p-3">
            <h3 className="font-medium">{name === TEMPLATE.name ? 'Template' : name}</h3>
            <p className="flex-1 text-ink-2">
              <Said text={summary} />
            </p>
            {endpoints.length > 0 && <p className="text-small text-ink-2">Endpoints: {endpoints.join(', ')}</p>}
            <Button className="self-start" onClick={() => onChoose(name)}>
              Start with {name === TEMPLATE.name ? 'the template' : name}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

type NewAppMenuProps = { readonly onOpen: () => void; readonly onChoose: (example: string) => void }

function NewAppMenu({ onOpen, onChoose }: NewAppMenuProps) {
  const { client } = useApp()
  const { data } = useQuery(examplesQuery(client))
  const examples = (data?.examples ?? []).map(({ name, endpoints }) => ({
    label: name,
    detail: `Example: ${endpoints.join(', ')}`,
    icon: <BookOpen />,
    onSelect: () => onChoose(name),
  }))
  return (
    <Menu
      groups={[
        [
          { label: 'Folder', detail: 'A folder that has an app', icon: <FolderOpen />, onSelect: onOpen },
          {
            label: 'Template',
            detail: 'An endpoint of each kind, for you to change',
            icon: <LayoutTemplate />,
            onSelect: () => onChoose('app'),
          },
        ],
        ...(examples.length === 0 ? [] : [examples]),
      ]}
    >
      <Button>
        <Plus aria-hidden /> New app
      </Button>
    </Menu>
  )
}

/** `from`: an example, or `app` for the template, written into it first. */
type OpenFolderPanelProps = { readonly from: string | undefined; readonly onClose: () => void }

function OpenFolderPanel({ from, onClose }: OpenFolderPanelProps) {
  const { client } = useApp()
  const [, go] = useLocation()
  const queries = useQueryClient()
  const { data: home, isPending: isBeginning } = useQuery(foldersQuery(client, undefined))
  const [typed, setTyped] = useState<string>()
  const start = home === undefined ? '' : `${home.path.replace(/\/$/, '')}/${from ?? ''}`
  const folder = typed ?? start
  const open = useMutation({
    mutationFn: () => client.call('projectOpen', { body: { folder: trimmed(folder), from } }),
    onSuccess(project) {
      void queries.invalidateQueries({ queryKey: ['projects'] })
      go(ADDRESS.project(project.id))
    },
  })
  const title = from === undefined ? 'Open a folder' : from === 'app' ? 'Start with the template' : `Start with ${from}`
  return (
    <SidePanel open onOpenChange={onClose} title={title}>
      <Form onSubmit={() => open.mutate()} className="flex flex-col gap-4">
        <PathField
          label="Folder"
          wants={from === undefined ? 'folder' : 'new folder'}
          value={folder}
          onChange={setTyped}
          isBeginning={isBeginning}
          hint={
            from === undefined
              ? 'A folder on the machine of the service, with Python files that define endpoints. Nothing in it is run or changed.'
              : 'A new or an empty folder. The files are written there, for you to change.'
          }
        />
        {open.error !== null && <ErrorNotice error={open.error} />}
        <div className="flex justify-end gap-2">
          <ChoosePath wants="folder" title="Choose the folder of an app" from={folder} onPath={setTyped} />
          <Button kind="main" type="submit" disabled={open.isPending || trimmed(folder) === ''}>
            {from === undefined ? 'Open folder' : 'Create and open'}
          </Button>
        </div>
      </Form>
    </SidePanel>
  )
}

function trimmed(folder: string): string {
  const text = folder.trim()
  return text.length > 1 ? text.replace(/\/+$/, '') : text
}
