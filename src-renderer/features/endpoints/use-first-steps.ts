import { useMutation } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import type { ApiClient } from '../../api-client/client.ts'
import { useApp } from '../../store/app-context.ts'
import { freeName } from '../../ui/form/free-name.ts'

/** A first step: what goes on, and what begins it. */
export type FirstSteps = {
  readonly running: 'handler' | 'workflow' | undefined
  /** Makes the sample endpoint, sends its example, and shows the job. */
  readonly serveSample: () => void
  /** Makes an endpoint that runs workflows without a model, and opens a template in the editor. */
  readonly runSampleWorkflow: () => void
}

// Entries of the catalog, and the first of the templates.
const HELLO = 'hello'
const SKETCH = 'sketch'

/** The first steps of the page for an empty folder. */
export function useFirstSteps(): FirstSteps {
  const { client, store } = useApp()
  const [, go] = useLocation()
  const onError = ({ message }: Error) => store.getState().tell({ kind: 'error', text: message })
  const taken = () => Object.values(store.getState().live.endpoints)
  const handler = useMutation({
    onError,
    async mutationFn() {
      const { id, example } = await ensureSample(client, HELLO, taken())
      const job = await client.call('run', { path: { endpointId: id }, bodyText: JSON.stringify(example) })
      go(ADDRESS.job(job.id))
    },
  })
  const workflow = useMutation({
    onError,
    async mutationFn() {
      await ensureSample(client, SKETCH, taken())
      const { templates } = await client.call('workflowTemplates')
      const [first] = templates
      if (first === undefined) return go(ADDRESS.workflows)
      const body = { name: first.name, text: first.text, draft: true }
      go(ADDRESS.workflow((await client.call('workflowCreate', { body })).id))
    },
  })
  return {
    running: handler.isPending ? 'handler' : workflow.isPending ? 'workflow' : undefined,
    serveSample: () => handler.mutate(),
    runSampleWorkflow: () => workflow.mutate(),
  }
}

// The one that is there is taken where it is that sample, and nothing of the person's own under its name.
async function ensureSample(
  client: ApiClient,
  entryId: string,
  endpoints: readonly { readonly id: string; readonly handler?: string | undefined }[],
) {
  const { entries } = await client.call('catalogList')
  const entry = entries.find(({ id }) => id === entryId)
  if (entry === undefined) throw new Error(`The catalog of this installation has no ${entryId}. Install Drydock again.`)
  const { settings, example } = entry
  const known = endpoints.find(({ handler }) => handler !== undefined && handler === settings.handler)
  if (known !== undefined) return { id: known.id, example }
  const id = freeName(
    entryId,
    endpoints.map((endpoint) => endpoint.id),
  )
  await client.call('endpointCreate', { body: { ...settings, id, name: id } })
  return { id, example }
}
