import { useMutation } from '@tanstack/react-query'
import { AppWindow, Boxes, Workflow } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { HELLO, SKETCH } from '../../../src-main/contract/catalog.ts'
import { ADDRESS } from '../../addresses.ts'
import type { ApiClient } from '../../api-client/client.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { freeName } from '../../ui/form/CreatedEndpoint.tsx'
import { TextLink } from '../../ui/Links.tsx'
import { CommandLine } from '../../ui/PageStates.tsx'
import { useTell } from '../../ui/use-tell.ts'

export function FirstPage({ intro }: { readonly intro: string }) {
  const { running, serveSample, runSampleWorkflow } = useFirstSteps()
  return (
    <section aria-label="First steps" className="mx-auto flex w-full max-w-5xl flex-col gap-4 py-6">
      <p className="text-center text-ink-2">{intro}</p>
      <ul className="grid grid-cols-1 gap-4 lg:grid-cols-3">
        <StartCard
          icon={<Boxes />}
          title="Serve a handler"
          command="drydock endpoint create hello --handler handler.py"
          other={<TextLink to={`${ADDRESS.endpoints}?new=handler`}>Serve your own file</TextLink>}
          action={
            <Button kind="main" disabled={running !== undefined} onClick={serveSample}>
              {running === 'handler' ? 'Starting …' : 'Serve the sample'}
            </Button>
          }
        >
          A Python or TypeScript function becomes an endpoint with a queue and workers. The sample gets its first job at
          once, and you see its answer.
        </StartCard>
        <StartCard
          icon={<Workflow />}
          title="Run a workflow"
          command="drydock workflow run workflow.json --endpoint sketch"
          other={<TextLink to={ADDRESS.workflows}>Open your own workflow</TextLink>}
          action={
            <Button disabled={running !== undefined} onClick={runSampleWorkflow}>
              {running === 'workflow' ? 'Opening …' : 'Open a sample workflow'}
            </Button>
          }
        >
          A graph of nodes, as saved by ComfyUI, makes a picture. The sample runs on a stand-in that needs no GPU and no
          model: press Run.
        </StartCard>
        <StartCard
          icon={<AppWindow />}
          title="Deploy an app"
          command="drydock init hello && cd hello && drydock deploy"
          other={<TextLink to={`${ADDRESS.apps}?open=folder`}>Open your own folder</TextLink>}
          action={
            <Link
              to={`${ADDRESS.apps}?open=hello`}
              className="inline-flex h-7 items-center rounded-control border border-line-strong/60 bg-surface-1 px-2.5 hover:bg-surface-2"
            >
              Start with the sample app
            </Link>
          }
        >
          A folder of Python files whose decorated functions become endpoints. The sample is written to a folder of your
          choice; deploy it on its Deploy tab.
        </StartCard>
      </ul>
    </section>
  )
}

type StartCardProps = {
  readonly icon: ReactNode
  readonly title: string
  readonly children: ReactNode
  readonly command: string
  readonly action: ReactNode
  readonly other: ReactNode
}

function StartCard({ icon, title, children, command, action, other }: StartCardProps) {
  return (
    <li className="flex min-w-0 flex-col gap-3 rounded-control border border-line bg-surface-1 p-4">
      <div className="flex items-center gap-2 [&_svg]:size-5 [&_svg]:stroke-[1.5] [&_svg]:text-accent">
        {icon}
        <h2 className="text-section font-semibold">{title}</h2>
      </div>
      <p className="flex-1 text-ink-2">{children}</p>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        {action}
        {other}
      </div>
      <div className="flex min-w-0">
        <CommandLine command={command} />
      </div>
    </li>
  )
}

function useFirstSteps() {
  const { client, store } = useApp()
  const { failed: onError } = useTell()
  const [, go] = useLocation()
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

// Reuses an existing sample, but nothing of the user's under its name.
async function ensureSample(
  client: ApiClient,
  entryId: string,
  endpoints: readonly { readonly id: string; readonly handler?: string | undefined }[],
) {
  const { entries } = await client.call('catalogList')
  const entry = entries.find(({ id }) => id === entryId)
  if (entry === undefined) throw new Error(`The catalog of this installation has no ${entryId}. Reinstall Drydock.`)
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
