import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import type { PublishedGraph } from '../../../../src-main/contract/published.ts'
import type { JsonValue } from '../../../../src-main/domain/workflow/json/value.ts'
import { writeJson } from '../../../../src-main/domain/workflow/json/write.ts'
import { defaultOf, faultOf } from '../../../../src-main/domain/workflow/publish/parameter-values.ts'
import { ADDRESS } from '../../../addresses.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { ErrorNotice } from '../../../ui/ErrorNotice.tsx'
import { Page } from '../../../ui/Page.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { CodeSamples } from '../../../ui/samples/CodeSamples.tsx'
import { ParameterField } from '../../workflow-editor/publish/ParameterField.tsx'
import { AnswerCard } from './AnswerCard.tsx'
import { publishedQuery } from './published-queries.ts'
import { readPicture } from './read-picture.ts'
import { useAnswer } from './use-answer.ts'
import { VersionsCard } from './VersionsCard.tsx'

/** A published graph: its form, what it answers, its code, its versions. */
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
        {error === null ? (
          <SkeletonRows rows={6} />
        ) : (
          <ErrorNotice error={error} action={<Button onClick={() => void refetch()}>Try again</Button>} />
        )}
      </Page>
    )
  return <Loaded key={`${data.id} ${data.version}`} graph={data} crumbs={crumbs} />
}

type LoadedProps = { readonly graph: PublishedGraph; readonly crumbs: Parameters<typeof Page>[0]['crumbs'] }

function Loaded({ graph, crumbs }: LoadedProps) {
  const [, go] = useLocation()
  const { store } = useApp()
  const [given, setGiven] = useState<ReadonlyMap<string, JsonValue>>(() => defaults(graph))
  const { answer, send } = useAnswer(graph.id)
  const body = useMemo(() => `{"input":${writeJson(given)}}`, [given])
  const isWhole = graph.parameters.every((parameter) => {
    const value = given.get(parameter.name)
    return value !== undefined && faultOf(parameter, value) === undefined
  })
  const set = (name: string, value: JsonValue | undefined) =>
    setGiven((before) => {
      const after = new Map(before)
      if (value === undefined) after.delete(name)
      else after.set(name, value)
      return after
    })
  const take = (name: string, file: File) =>
    readPicture(file).then(
      (picture) => set(name, picture),
      (error: Error) => store.getState().tell({ kind: 'error', text: error.message }),
    )
  const { workflowId } = graph
  return (
    <Page
      crumbs={crumbs}
      actions={
        workflowId !== undefined && <Button onClick={() => go(ADDRESS.workflow(workflowId))}>Open its graph</Button>
      }
    >
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title="Parameters">
          <form
            onSubmit={(event) => {
              event.preventDefault()
              send(body)
            }}
            className="flex flex-col gap-4 p-3"
          >
            {graph.parameters.length === 0 && <p className="text-ink-2">This graph has no parameters.</p>}
            {graph.parameters.map((parameter) => (
              <ParameterField
                key={parameter.name}
                parameter={parameter}
                value={given.get(parameter.name)}
                onChange={(value) => set(parameter.name, value)}
                onFile={(file) => void take(parameter.name, file)}
              />
            ))}
            <Button kind="main" type="submit" disabled={!isWhole || answer?.isOpen === true} className="self-end">
              Run
            </Button>
          </form>
        </Card>
        <AnswerCard graphId={graph.id} answer={answer} />
      </div>
      <CodeSamples call={isWhole ? { endpointId: graph.id, url: graph.url, operation: 'runsync', body } : undefined} />
      <VersionsCard graph={graph} />
    </Page>
  )
}

function defaults({ parameters }: PublishedGraph): ReadonlyMap<string, JsonValue> {
  return new Map(
    parameters.flatMap((parameter) => {
      const value = defaultOf(parameter)
      return value === undefined ? [] : [[parameter.name, value] as const]
    }),
  )
}
