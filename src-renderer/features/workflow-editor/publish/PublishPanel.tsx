import { useMutation, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type FormEvent, useMemo, useState } from 'react'
import { Link } from 'wouter'
import type { GraphParameter } from '../../../../src-main/contract/published.ts'
import { plainId } from '../../../../src-main/features/endpoints/rules/ids.ts'
import { writeDocument } from '../../../../src-main/features/workflows/rules/document/document.ts'
import {
  freeParameterName,
  type GraphForm,
  isSameInput,
  parameterOf,
} from '../../../../src-main/features/workflows/rules/publish/graph-form.ts'
import { takesWorkflows } from '../../../../src-main/features/workflows/rules/runs/takes-workflows.ts'
import { writeJson } from '../../../../src-main/lib/json/value.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp, useAppState } from '../../../store/app-context.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { SidePanel } from '../../../ui/Dialog.tsx'
import { Field, Labelled, SearchField } from '../../../ui/form/Field.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { ErrorNotice } from '../../../ui/PageStates.tsx'
import { MissingClasses } from '../problems/ProblemsPanel.tsx'
import { useRuns, useTab } from '../store/editor-store.ts'
import { runEndpoints } from '../store/run-store.ts'
import { type Exposable, useChangeForm, useExposable } from './use-form.ts'

export function PublishPanel({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { payload, problems, form, inputs, results } = useExposable()
  return (
    <SidePanel open onOpenChange={onClose} title={`Publish ${name}`} width="wide">
      <div className="flex flex-col gap-6">
        <p className="text-ink-2">
          A published graph is an endpoint of its own: clients send its parameters, and the workers of another endpoint
          run it. Its inputs are also the form of this graph.
        </p>
        <ParameterList form={form} inputs={inputs} />
        <ResultChoice form={form} results={results} />
        <PublishForm name={name} form={form} payload={payload} problems={problems} />
      </div>
    </SidePanel>
  )
}

/** A form that names no nodes returns all results, also of nodes that are added later. */
function ResultChoice({ form, results }: { readonly form: GraphForm; readonly results: Exposable['results'] }) {
  const changeForm = useChangeForm()
  const chosen = form.results.length === 0 ? results.map(({ id }) => id) : form.results
  const toggle = (id: string, isChosen: boolean) => {
    const next = isChosen ? [...chosen, id] : chosen.filter((one) => one !== id)
    const isAll = results.every((one) => next.includes(one.id))
    const label = isChosen ? 'Include a result' : 'Leave out a result'
    changeForm(label, (form) => ({ ...form, results: isAll ? [] : next }))
  }
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-medium">Results</legend>
      <p className="text-small text-ink-2">
        {form.results.length === 0
          ? 'All results are returned.'
          : 'Only these are returned; nodes they do not need are not run.'}
      </p>
      {results.length === 0 && <p className="text-ink-2">No node of this graph has a result: add one that saves.</p>}
      {results.map(({ id, title }) => (
        <label key={id} className="flex min-h-7 items-center gap-2">
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            // A graph without a result would not run.
            disabled={chosen.length === 1 && chosen.includes(id)}
            onChange={({ target }) => toggle(id, target.checked)}
          />
          {title} <span className="text-small text-ink-2">({id})</span>
        </label>
      ))}
    </fieldset>
  )
}

type ParameterListProps = { readonly form: GraphForm; readonly inputs: Exposable['inputs'] }

function ParameterList({ form, inputs }: ParameterListProps) {
  const titles = new Map(inputs.map(({ title, suggestion }) => [suggestion.node, title]))
  return (
    <section aria-label="Parameters" className="flex flex-col gap-3">
      <h3 className="font-medium">Parameters</h3>
      {form.parameters.length === 0 && (
        <p className="text-ink-2">None yet: the graph runs as it is. Add the prompt or the seed below.</p>
      )}
      <ol className="flex flex-col gap-3">
        {form.parameters.map((parameter) => (
          <li key={`${parameter.node} ${parameter.input}`}>
            <ParameterRow parameter={parameter} title={titles.get(parameter.node)} />
          </li>
        ))}
      </ol>
      <AddParameter form={form} inputs={inputs} />
    </section>
  )
}

type RowProps = { readonly parameter: GraphParameter; readonly title: string | undefined }

function ParameterRow({ parameter, title }: RowProps) {
  const changeForm = useChangeForm()
  const { name, node, input, help = '' } = parameter
  const change = (label: string, to: (one: GraphParameter) => readonly GraphParameter[], merge?: string) => {
    const changed = (one: GraphParameter) => (isSameInput(one, parameter) ? to(one) : [one])
    changeForm(label, (form) => ({ ...form, parameters: form.parameters.flatMap(changed) }), merge)
  }
  const isName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)
  return (
    <fieldset className="grid gap-x-3 gap-y-2 rounded-control border border-line p-3 sm:grid-cols-2">
      <legend className="flex items-center gap-1 px-1 text-small text-ink-2">
        {title ?? 'A deleted node'} · {input} ({node})
        <IconButton
          label={`Remove ${name}`}
          icon={<X />}
          onClick={() => change(`Remove the parameter ${name}`, () => [])}
        />
      </legend>
      <Field
        label="Name"
        value={name}
        onChange={({ target }) =>
          change('Name a parameter', (one) => [{ ...one, name: target.value }], `parameter-name ${node} ${input}`)
        }
        problem={isName ? undefined : 'Letters, digits and _, beginning with a letter.'}
      />
      <Field
        label="Help"
        value={help}
        onChange={({ target }) =>
          change('Explain a parameter', (one) => [{ ...one, help: target.value }], `parameter-help ${node} ${input}`)
        }
      />
    </fieldset>
  )
}

const MOST_SHOWN = 30

function AddParameter({ form, inputs }: ParameterListProps) {
  const changeForm = useChangeForm()
  const [wanted, setWanted] = useState('')
  const terms = wanted.toLowerCase().split(/\s+/)
  const open = inputs.filter(({ title, suggestion }) => {
    const text = `${title} ${suggestion.input} ${suggestion.node}`.toLowerCase()
    return (
      parameterOf(form, suggestion.node, suggestion.input) === undefined && terms.every((term) => text.includes(term))
    )
  })
  const add = (suggestion: GraphParameter) =>
    changeForm(`Make ${suggestion.input} a parameter`, (form) => ({
      ...form,
      parameters: [...form.parameters, { ...suggestion, name: freeParameterName(suggestion.name, form) }],
    }))
  return (
    <div className="flex flex-col gap-2">
      <SearchField label="Find an input to add" value={wanted} onChange={setWanted} />
      <ul
        aria-label="Inputs to add"
        className="flex max-h-60 flex-col overflow-y-auto rounded-control border border-line"
      >
        {open.slice(0, MOST_SHOWN).map(({ title, suggestion }) => (
          <li key={`${suggestion.node} ${suggestion.input}`} className="flex items-center gap-2 px-2 py-0.5">
            <span className="min-w-0 flex-1 truncate">
              {title} · <strong className="font-medium">{suggestion.input}</strong>{' '}
              <span className="text-ink-2">{suggestion.default ?? ''}</span>
            </span>
            <Button
              kind="quiet"
              aria-label={`Add ${suggestion.input} of ${title} (${suggestion.node})`}
              onClick={() => add(suggestion)}
            >
              Add
            </Button>
          </li>
        ))}
        {open.length === 0 && <li className="px-2 py-1 text-ink-2">No more inputs.</li>}
        {open.length > MOST_SHOWN && (
          <li className="px-2 py-1 text-ink-2">{open.length - MOST_SHOWN} more: type part of a name.</li>
        )}
      </ul>
    </div>
  )
}

type PublishFormProps = Pick<Exposable, 'payload' | 'problems'> & { readonly name: string; readonly form: GraphForm }

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
