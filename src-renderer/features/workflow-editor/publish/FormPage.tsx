import { SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { GraphParameter } from '../../../../src-main/contract/published.ts'
import { setPayloadValue } from '../../../../src-main/features/workflows/rules/edit/payload-value.ts'
import { readPayloadNode } from '../../../../src-main/features/workflows/rules/payload.ts'
import { defaultOf } from '../../../../src-main/features/workflows/rules/publish/parameter-values.ts'
import type { JsonValue } from '../../../../src-main/lib/json/value.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { ParameterField } from '../../../ui/form/ParameterField.tsx'
import { Page } from '../../../ui/Page.tsx'
import { EmptyState, ErrorNotice, SkeletonRows } from '../../../ui/PageStates.tsx'
import { useOpenWorkflow } from '../files/editor-files.ts'
import { ResultsPanel } from '../run/ResultsPanel.tsx'
import { RunBar } from '../run/RunBar.tsx'
import { TabContext, useTab } from '../store/editor-store.ts'
import { uploadAsset } from '../widgets/upload-asset.ts'
import { PublishPanel } from './PublishPanel.tsx'
import { useExposable } from './use-form.ts'

export function FormPage({ workflowId }: { readonly workflowId: string }) {
  const { tab, name, problem, retry } = useOpenWorkflow(workflowId)
  const crumbs = [
    { name: 'Workflows', to: ADDRESS.workflows },
    { name: name || 'Workflow', to: ADDRESS.workflow(workflowId) },
    { name: 'Form' },
  ]
  if (tab === undefined)
    return (
      <Page crumbs={crumbs}>
        {problem === undefined ? <SkeletonRows rows={6} /> : <ErrorNotice error={problem} onRetry={retry} />}
      </Page>
    )
  return (
    <TabContext value={tab}>
      <OpenForm crumbs={crumbs} name={name} />
    </TabContext>
  )
}

function OpenForm({ crumbs, name }: { readonly crumbs: Parameters<typeof Page>[0]['crumbs']; readonly name: string }) {
  const [isChoosing, setIsChoosing] = useState(false)
  const { payload, form } = useExposable()
  const { parameters } = form
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
              No inputs of this graph are shown yet. Choose the prompt, the seed, or whatever should be set here.
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

// Typed values go into the graph, so the editor shows them too.
function BoundField({ parameter, value }: BoundFieldProps) {
  const { client, store } = useApp()
  const { editor } = useTab()
  const { node, input, name } = parameter
  const set = (next: JsonValue | undefined) => {
    const value = next ?? defaultOf(parameter)
    if (value === undefined) return
    const { edit, types } = editor.getState()
    edit(`Set ${name}`, (document) => setPayloadValue(document, { node, input, value, types }), `form ${node} ${input}`)
  }
  const take = async (file: File) => {
    try {
      const asset = await uploadAsset(client, file, file.name)
      set(asset.name ?? file.name)
    } catch (error) {
      store.getState().notify({ kind: 'error', text: (error as Error).message })
    }
  }
  return <ParameterField parameter={parameter} value={value} onChange={set} onFile={(file) => void take(file)} />
}
