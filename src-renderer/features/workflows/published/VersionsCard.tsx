import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { PublishedGraph } from '../../../../src-main/contract/published.ts'
import { takesWorkflows } from '../../../../src-main/domain/workflow-runs/takes-workflows.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { Labelled } from '../../../ui/form/Labelled.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { runEndpoints } from '../../workflow-editor/run/run-endpoints.ts'

/** Which version runs, and where; the way to its OpenAPI document; deletion. */
export function VersionsCard({ graph }: { readonly graph: PublishedGraph }) {
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
  const places = runEndpoints(endpoints)
    .filter(takesWorkflows)
    .map((one) => ({ value: one.id, label: one.id }))
  const isThere = places.some(({ value }) => value === behind)
  return (
    <Card
      title="Versions and place"
      aside={
        <a
          href={`/api/published-graphs/${encodeURIComponent(id)}/openapi.json`}
          className="text-accent hover:underline"
        >
          OpenAPI document
        </a>
      }
    >
      <div className="flex flex-wrap items-end gap-4 p-3">
        <Labelled label="Version that runs" hint="Jobs say which one they ran.">
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
          label="Endpoint that does the work"
          hint="Jobs that wait already stay where they are."
          fault={isThere ? undefined : `${behind} is gone: choose another one.`}
        >
          {(ids) => (
            <Select
              {...ids}
              choices={isThere ? places : [{ value: behind, label: `${behind} (gone)` }, ...places]}
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
        Its address answers no more, and all its versions are gone. The workflow in the library stays.
      </Confirm>
    </Card>
  )
}
