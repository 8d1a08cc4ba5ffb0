import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'wouter'
import { limit } from '../../../src-main/contract/limits.ts'
import type { PublishedGraph } from '../../../src-main/contract/published.ts'
import { defaultOf, valueProblem } from '../../../src-main/features/workflows/rules/publish/parameter-values.ts'
import { type JsonValue, writeJson } from '../../../src-main/lib/json/value.ts'
import { MIB } from '../../../src-main/lib/units.ts'
import { ADDRESS } from '../../addresses.ts'
import { type JobRecord, runJob } from '../../api-client/jobs.ts'
import { publishedQuery } from '../../api-client/queries.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { ParameterField } from '../../ui/form/ParameterField.tsx'
import { CodeSamples } from '../../ui/output/CodeSamples.tsx'
import { JobErrorNotice } from '../../ui/output/JobErrorNotice.tsx'
import { OutputView } from '../../ui/output/OutputView.tsx'
import { ErrorNotice, QueryState } from '../../ui/PageStates.tsx'
import { JobStateDot, StateDot } from '../../ui/StateDot.tsx'

export function FormOfGraph({ graphId }: { readonly graphId: string }) {
  const { client } = useApp()
  const { data, error } = useQuery(publishedQuery(client, graphId))
  if (data === undefined) return <QueryState data={data} error={error} rows={6} />
  return <GraphForm key={data.version} graph={data} />
}

export function GraphForm({ graph }: { readonly graph: PublishedGraph }) {
  const { store } = useApp()
  const [given, setGiven] = useState<ReadonlyMap<string, JsonValue>>(() => defaults(graph))
  const { response, send } = useResponse(graph.id)
  const brokenReason = useAppState(({ live }) => live.endpoints[graph.id]?.brokenReason)
  const body = useMemo(() => `{"input":${writeJson(given)}}`, [given])
  const isWhole = graph.parameters.every((parameter) => {
    const value = given.get(parameter.name)
    return value !== undefined && valueProblem(parameter, value) === undefined
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
      (error: Error) => store.getState().notify({ kind: 'error', text: error.message }),
    )
  return (
    <>
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
            <div className="flex items-center justify-end gap-3">
              {brokenReason !== undefined && <p className="text-failed-ink">Broken: {brokenReason}</p>}
              <Button
                kind="main"
                type="submit"
                disabled={!isWhole || response?.isOpen === true || brokenReason !== undefined}
              >
                Run
              </Button>
            </div>
          </form>
        </Card>
        <ResponseCard graphId={graph.id} response={response} />
      </div>
      <CodeSamples call={isWhole ? { endpointId: graph.id, url: graph.url, operation: 'runsync', body } : undefined} />
    </>
  )
}

function defaults({ parameters }: PublishedGraph): ReadonlyMap<string, JsonValue> {
  const values = parameters.map((parameter) => [parameter.name, defaultOf(parameter)] as const)
  return new Map(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

// Size limit of pictures in a job, as base64, which takes four characters for three bytes.
const MOST_MIB = Math.floor(((limit('runImagesBytes') / MIB) * 3) / 4)

async function readPicture(file: File): Promise<string> {
  if (file.size > MOST_MIB * MIB)
    throw new Error(
      `${file.name} is ${Math.ceil(file.size / MIB)} MiB; the limit is ${MOST_MIB} MiB. Use a smaller image.`,
    )
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`))
    reader.readAsDataURL(file)
  })
}

type ResponseCardProps = { readonly graphId: string; readonly response: GraphResponse | undefined }

function ResponseCard({ graphId, response }: ResponseCardProps) {
  const { record, error } = response ?? {}
  return (
    <Card
      title="Response"
      aside={
        <span className="flex items-center gap-3">
          {response?.isOpen === true && <StateDot tone="running" text="Running" pulses />}
          {record !== undefined && <JobStateDot state={record.status} />}
          {record !== undefined && (
            <Link to={ADDRESS.job(record.id)} className="text-accent hover:underline">
              Open job
            </Link>
          )}
        </span>
      }
    >
      <div aria-live="polite" className="flex min-w-0 flex-col gap-3 p-3">
        {response === undefined && <p className="text-ink-2">Set the parameters and run the graph.</p>}
        {error !== undefined && <ErrorNotice error={error} />}
        {record?.error !== undefined && <JobErrorNotice error={record.error} endpointId={graphId} />}
        {record?.status === 'COMPLETED' && <OutputView value={record.output} label="Output" />}
      </div>
    </Card>
  )
}

type GraphResponse = {
  readonly isOpen: boolean
  readonly record?: JobRecord
  readonly error?: Error
}

function useResponse(graphId: string) {
  const { client } = useApp()
  const [response, setResponse] = useState<GraphResponse>()
  const open = useRef<AbortController>(undefined)
  useEffect(() => () => open.current?.abort(), [])
  const send = (body: string) => {
    open.current?.abort()
    open.current = new AbortController()
    const { signal } = open.current
    setResponse({ isOpen: true })
    runJob(client, { endpointId: graphId, body, signal }).then(
      (record) => setResponse({ isOpen: false, record }),
      (error: Error) => {
        if (!signal.aborted) setResponse({ isOpen: false, error })
      },
    )
  }
  return { response, send }
}
