import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { PublishedGraph } from '../../../src-main/contract/published.ts'
import { takesWorkflows } from '../../../src-main/features/workflows/rules/runs/takes-workflows.ts'
import { ADDRESS } from '../../addresses.ts'
import { publishedQuery } from '../../api-client/queries.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { Labelled } from '../../ui/form/Field.tsx'
import { Select } from '../../ui/form/Select.tsx'
import { Page } from '../../ui/Page.tsx'
import { ErrorNotice, SkeletonRows } from '../../ui/PageStates.tsx'
import { GraphForm } from '../requests/GraphForm.tsx'
import { runEndpoints } from '../workflow-editor/store/run-store.ts'

export function PublishedPage({ graphId }: { readonly graphId: string }) {
  const { client } = useApp()
  const { data, error, refetch } = useQuery(publishedQuery(client, graphId))
  const crumbs = [
    { name: 'Workflows', to: ADDRESS.workflows },
    { name: 'Published graphs', to: ADDRESS.publishedGraphs },
    { name: data?.name ?? graphId },
  ]
  if (data === undefined)
    return (
      <Page crumbs={crumbs}>
        {error === null ? <SkeletonRows rows={6} /> : <ErrorNotice error={error} onRetry={refetch} />}
      </Page>
    )
  return <Loaded key={`${data.id} ${data.version}`} graph={data} crumbs={crumbs} />
}

type LoadedProps = { readonly graph: PublishedGraph; readonly crumbs: Parameters<typeof Page>[0]['crumbs'] }

function Loaded({ graph, crumbs }: LoadedProps) {
  const [, go] = useLocation()
  const { workflowId } = graph
  return (
    <Page
      crumbs={crumbs}
      actions={workflowId !== undefined && <Button onClick={() => go(ADDRESS.workflow(workflowId))}>Open graph</Button>}
    >
      <GraphForm graph={graph} />
      <VersionsCard graph={graph} />
    </Page>
  )
}

function VersionsCard({ graph }: { readonly graph: PublishedGraph }) {
  const { id, version, versions, behind } = graph
  const { client } = useApp()
  const queries = useQueryClient()
  const [, go] = useLocation()
  const endpoints = useAppState(({ live }) => live.endpoints)
  const [isDeleting, setIsDeleting] = useState(false)
  const readAgain = () => queries.invalidateQueries({ queryKey: ['published'] })
  const change = useMutation({
    mutationFn: (body: { readonly version?: number; readonly behind?: string }) =>
      client.call('publishedUpdate', { path: { graphId: id }, body }),
    onSuccess: readAgain,
  })
  const remove = useMutation({
    mutationFn: () => client.call('endpointDelete', { path: { endpointId: id } }),
    onSuccess: async () => {
      await readAgain()
      go(ADDRESS.publishedGraphs)
    },
  })
  const targets = runEndpoints(endpoints)
    .filter(takesWorkflows)
    .map((one) => ({ value: one.id, label: one.id }))
  const isThere = targets.some(({ value }) => value === behind)
  return (
    <Card
      title="Versions and endpoint"
      aside={
        <a
          href={client.address('publishedDocument', { path: { graphId: id } })}
          className="text-accent hover:underline"
        >
          OpenAPI document
        </a>
      }
    >
      <div className="flex flex-wrap items-end gap-4 p-3">
        <Labelled label="Active version" hint="Jobs show which one they ran.">
          {(ids) => (
            <Select
              {...ids}
              choices={versions.map((one) => ({ value: String(one), label: String(one) }))}
              value={String(version)}
              onChange={(wanted) => change.mutate({ version: Number(wanted) })}
            />
          )}
        </Labelled>
        <Labelled
          label="Backing endpoint"
          hint="Jobs that are already waiting stay where they are."
          problem={isThere ? undefined : `${behind} was deleted: choose another one.`}
        >
          {(ids) => (
            <Select
              {...ids}
              choices={isThere ? targets : [{ value: behind, label: `${behind} (deleted)` }, ...targets]}
              value={behind}
              onChange={(wanted) => change.mutate({ behind: wanted })}
            />
          )}
        </Labelled>
        <Button kind="danger" className="ml-auto" onClick={() => setIsDeleting(true)}>
          Delete {id}
        </Button>
      </div>
      {change.error !== null && <ErrorNotice error={change.error} />}
      {remove.error !== null && <ErrorNotice error={remove.error} />}
      <Confirm
        open={isDeleting}
        onOpenChange={setIsDeleting}
        action={`Delete published graph ${id}`}
        onConfirm={() => remove.mutate()}
      >
        Its address stops working, and all its versions are deleted. The workflow in the library stays.
      </Confirm>
    </Card>
  )
}
