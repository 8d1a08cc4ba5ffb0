import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { plainId } from '../../../../src-main/features/endpoints/rules/ids.ts'
import { writeDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import { type JsonObject, writeJson } from '../../../../src-main/features/workflows/rules/json/value.ts'
import type { Problem } from '../../../../src-main/features/workflows/rules/problem.ts'
import type { GraphForm } from '../../../../src-main/features/workflows/rules/publish/graph-form.ts'
import { takesWorkflows } from '../../../../src-main/features/workflows/rules/runs/takes-workflows.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field, Labelled } from '../../../ui/form/Field.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ErrorNotice } from '../../../ui/PageStates.tsx'
import { MissingClasses } from '../problems/ProblemList.tsx'
import { useRuns, useTab } from '../store/editor-store.ts'
import { runEndpoints } from '../store/run-store.ts'

export type PublishFormProps = {
  readonly name: string
  readonly form: GraphForm
  readonly payload: JsonObject
  readonly problems: readonly Problem[]
}

export function PublishForm({ name, form, payload, problems }: PublishFormProps) {
  const { client } = useApp()
  const queries = useQueryClient()
  const { workflowId, editor } = useTab()
  const chosen = useRuns((state) => state.endpointId)
  const endpoints = useAppState(({ live }) => live.endpoints)
  const backingEndpoints = useMemo(() => runEndpoints(endpoints).filter(takesWorkflows), [endpoints])
  const first = backingEndpoints.some(({ id }) => id === chosen) ? chosen : undefined
  const [given, setGiven] = useState({ name, id: plainId(name) || 'graph', behind: first ?? '' })
  const publish = useMutation({
    async mutationFn() {
      const document = writeJson(writeDocument(editor.getState().document))
      const body = { ...given, ...form, workflowId, payload: writeJson(payload), document }
      const made = await client.call('publishedCreate', { body })
      await queries.invalidateQueries({ queryKey: ['published'] })
      return made
    },
  })
  const firstError = problems.find(({ severity }) => severity === 'error')
  const isNext = endpoints[given.id]?.graph !== undefined
  const set = (change: Partial<typeof given>) => setGiven((before) => ({ ...before, ...change }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    publish.mutate()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 border-t border-line pt-4">
      <Field label="Name" value={given.name} onChange={({ target }) => set({ name: target.value })} required />
      <Field
        label="Id"
        value={given.id}
        onChange={({ target }) => set({ id: target.value })}
        hint={
          isNext
            ? `${given.id} is already published: this becomes its next version.`
            : 'Part of its address: a-z, 0-9 and hyphens.'
        }
        required
      />
      <Labelled label="Backing endpoint" hint="Its workers run this graph. Endpoints that take workflows are listed.">
        {(ids) => (
          <Select
            {...ids}
            choices={backingEndpoints.map(({ id }) => ({ value: id, label: id }))}
            none="Choose an endpoint"
            value={given.behind}
            onChange={(behind) => set({ behind })}
          />
        )}
      </Labelled>
      {(given.behind === '' || given.behind === chosen) && <MissingClasses />}
      {firstError !== undefined && (
        <ErrorNotice
          error={firstError.node === undefined ? firstError.message : `Node ${firstError.node}: ${firstError.message}`}
        />
      )}
      {publish.error !== null && <ErrorNotice error={publish.error} />}
      {publish.data !== undefined && (
        <p role="status">
          Version {publish.data.version} of {publish.data.id} answers at{' '}
          <code className="font-mono text-small break-all">{publish.data.url}</code>.{' '}
          <Link to={ADDRESS.publishedGraph(publish.data.id)} className="text-accent hover:underline">
            Try it
          </Link>
        </p>
      )}
      <Button
        kind="main"
        type="submit"
        disabled={publish.isPending || given.behind === '' || firstError !== undefined}
        className="self-end"
      >
        {isNext ? 'Publish the next version' : 'Publish'}
      </Button>
    </form>
  )
}
