import { SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { GraphParameter } from '../../../../src-main/contract/published.ts'
import { setWidget } from '../../../../src-main/domain/workflow/edit/widgets.ts'
import type { JsonValue } from '../../../../src-main/domain/workflow/json/value.ts'
import { readPayloadNode } from '../../../../src-main/domain/workflow/payload.ts'
import { defaultOf } from '../../../../src-main/domain/workflow/publish/parameter-values.ts'
import { whereIs } from '../../../../src-main/domain/workflow/where-is.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { Page } from '../../../ui/Page.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { useOpenWorkflow } from '../files/use-open-workflow.ts'
import { ResultsPanel } from '../run/ResultsPanel.tsx'
import { RunBar } from '../run/RunBar.tsx'
import { TabContext, useTab } from '../store/editor-context.ts'
import { uploadAsset } from '../widgets/upload-asset.ts'
import { ParameterField } from './ParameterField.tsx'
import { PublishPanel } from './PublishPanel.tsx'
import { useExposable, useForm } from './use-form.ts'

/** A workflow as a form: the inputs that were chosen for it, the button that runs it, and what its runs gave. */
export function FormPage({ workflowId }: { readonly workflowId: string }) {
  const { tab, name, fault, retry } = useOpenWorkflow(workflowId)
  const crumbs = [
    { name: 'Workflows', to: ADDRESS.workflows },
    { name: name || 'Workflow', to: ADDRESS.workflow(workflowId) },
    { name: 'Form' },
  ]
  if (tab === undefined)
    return (
      <Page crumbs={crumbs}>
        {fault === undefined ? (
          <SkeletonRows rows={6} />
        ) : (
          <ErrorNotice error={fault} action={<Button onClick={retry}>Try again</Button>} />
        )}
      </Page>
    )
  return (
    <TabContext value={tab}>
      <OpenForm crumbs={crumbs} name={name} />
    </TabContext>
  )
}

type OpenFormProps = { readonly crumbs: Parameters<typeof Page>[0]['crumbs']; readonly name: string }

function OpenForm({ crumbs, name }: OpenFormProps) {
  const [isChoosing, setIsChoosing] = useState(false)
  const { parameters } = useForm()
  const { payload } = useExposable()
  const { workflowId } = useTab()
  return (
    <Page
      crumbs={crumbs}
      actions={
        <>
          <Button onClick={() => setIsChoosing(true)}>Choose inputs, publish</Button>
          <Link to={ADDRESS.workflow(workflowId)} className="text-accent hover:underline">
            Open the graph
          </Link>
        </>
      }
    >
      <div className="grid gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <section aria-label="Inputs" className="flex min-w-0 flex-col gap-4">
          {parameters.length === 0 ? (
            <EmptyState
              icon={<SlidersHorizontal />}
              action={<Button onClick={() => setIsChoosing(true)}>Choose inputs</Button>}
            >
              No input of this graph is shown yet. Choose the prompt, the seed, or what else should be set here.
            </EmptyState>
          ) : (
            parameters.map((parameter) => (
              <BoundField
                key={`${parameter.node} ${parameter.input}`}
                parameter={parameter}
                value={readPayloadNode(parameter.node, payload.get(parameter.node))?.inputs.get(parameter.input)}
              />
            ))
          )}
          <RunBar />
        </section>
        <ResultsPanel />
      </div>
      {isChoosing && <PublishPanel name={name} onClose={() => setIsChoosing(false)} />}
    </Page>
  )
}

type BoundFieldProps = { readonly parameter: GraphParameter; readonly value: JsonValue | undefined }

// What is typed goes into the graph, where the editor shows it too.
function BoundField({ parameter, value }: BoundFieldProps) {
  const { client, store } = useApp()
  const { editor } = useTab()
  const { node, input, name } = parameter
  const set = (next: JsonValue | undefined) => {
    const value = next ?? defaultOf(parameter)
    if (value === undefined) return
    const { edit, types } = editor.getState()
    edit(
      `Set ${name}`,
      (document) => {
        const place = whereIs(document, node)
        return place === undefined
          ? document
          : setWidget(document, place.at, { node: place.node, name: input, value, types })
      },
      `form ${node} ${input}`,
    )
  }
  const take = async (file: File) => {
    try {
      const asset = await uploadAsset(client, file, file.name)
      set(asset.name ?? file.name)
    } catch (error) {
      store.getState().tell({ kind: 'error', text: (error as Error).message })
    }
  }
  return <ParameterField parameter={parameter} value={value} onChange={set} onFile={(file) => void take(file)} />
}
