import { useQuery } from '@tanstack/react-query'
import type { WorkerView } from '../../../src-main/contract/endpoint.ts'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { ADDRESS } from '../../addresses.ts'
import { environmentQuery } from '../../api-client/app-queries.ts'
import { useApp } from '../../store/app-context.ts'
import { CopyButton } from '../../ui/Button.tsx'
import { asSentence, duration } from '../../ui/format.ts'
import { JobFaces } from '../../ui/jobs/JobCells.tsx'
import { TextLink } from '../../ui/Links.tsx'
import { useAsCalled } from '../../ui/PageStates.tsx'
import { Fact, Nothing, RelativeTime } from '../../ui/Values.tsx'
import { UsageCharts, type UsagePoint } from './UsageCharts.tsx'
import type { EndedWorker } from './worker-groups.ts'
import { explainWorker, processFolder } from './worker-state.ts'

export type AboutWorkerProps = {
  readonly worker: WorkerView
  readonly endpoint: LiveEndpoint | undefined
  readonly points: readonly UsagePoint[] | undefined
}

export function AboutWorker({ worker, endpoint, points }: AboutWorkerProps) {
  const { id, pid, container, machine, gpus = [], startedAt, lastSeenAt, jobs, jobsDone } = worker
  const asCalled = useAsCalled()
  const why = explainWorker(worker, endpoint)
  const folder = endpoint === undefined ? undefined : processFolder(endpoint)
  return (
    <div className="-mr-4 flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto pr-4">
      {why !== undefined && <p className="break-words">{asCalled(why)}</p>}
      <UsageCharts points={points} hasGpu={gpus.length > 0} />
      <dl className="grid grid-cols-[8rem_1fr] gap-y-1.5">
        <CopiedFact name="Id" text={id} what="id" />
        <Fact name="Started">
          <RelativeTime at={startedAt} />
        </Fact>
        <Fact name="Last seen">{lastSeenAt === undefined ? <Nothing /> : <RelativeTime at={lastSeenAt} />}</Fact>
        {machine !== undefined && (
          <Fact name="Machine">
            <TextLink to={ADDRESS.machine(machine)}>{machine}</TextLink>
          </Fact>
        )}
        <CopiedFact name="Container" text={container} what="container id" />
        <CopiedFact name="Process" text={pid?.toString()} what="process id" />
        <CopiedFact name="Folder" text={container === undefined ? folder : undefined} what="folder" />
        {gpus.length > 0 && <Fact name="GPUs">{gpus.join(', ')}</Fact>}
        <Fact name="Jobs done">{jobsDone.toLocaleString('en')}</Fact>
        <Fact name="Jobs now">{jobs.length === 0 ? <Nothing /> : <JobFaces ids={jobs} label="Jobs now" />}</Fact>
        <Fact name="Environment">
          {endpoint === undefined ? <Nothing /> : <EnvironmentNames endpoint={endpoint} />}
        </Fact>
      </dl>
    </div>
  )
}

export function AboutEnded({ ended, toLog }: { readonly ended: EndedWorker | undefined; readonly toLog: string }) {
  return (
    <div className="flex flex-col gap-3">
      <WhyEnded ended={ended} />
      {ended !== undefined && (
        <p className="text-ink-2">
          It ended <RelativeTime at={ended.endedAt} />
          {ended.startedAt !== undefined && ` and was up for ${duration(Math.max(0, ended.endedAt - ended.startedAt))}`}
          .
        </p>
      )}
      <TextLink to={toLog} className="self-start">
        See its log
      </TextLink>
    </div>
  )
}

function WhyEnded({ ended }: { readonly ended: EndedWorker | undefined }) {
  const asCalled = useAsCalled()
  if (ended === undefined) return <p>It ended more than ten minutes ago, or never existed.</p>
  const { crashed, reason } = ended
  if (reason === undefined) return <p>It is not known why it ended.</p>
  if (!crashed) return <p className="break-words">{asCalled(asSentence(reason))}</p>
  return (
    <>
      <p className="rounded-control bg-failed-soft px-3 py-2 font-mono text-small break-words whitespace-pre-wrap text-failed-ink">
        {asCalled(reason)}
      </p>
      <p className="text-ink-2">
        It ended unexpectedly; this is its last output. Its jobs go back to the queue if the endpoint allows another
        try, and a new worker starts if needed.
      </p>
    </>
  )
}

type CopiedFactProps = { readonly name: string; readonly text: string | undefined; readonly what: string }

function CopiedFact({ name, text, what }: CopiedFactProps) {
  if (text === undefined) return null
  return (
    <Fact name={name}>
      <span className="-my-1 flex min-w-0 items-center gap-1">
        <span className="truncate font-mono text-small" title={text}>
          {text}
        </span>
        <CopyButton text={text} what={what} />
      </span>
    </Fact>
  )
}

const NO_TARGET = { app: '', environment: '' }

function EnvironmentNames({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const { client } = useApp()
  const { app, env } = endpoint
  const target = app === undefined ? NO_TARGET : { app: app.name, environment: app.environment }
  const { data } = useQuery({ ...environmentQuery(client, target), enabled: app !== undefined })
  const names = [...new Set([...Object.keys(env), ...(data?.variables.map(({ name }) => name) ?? [])])].toSorted()
  if (names.length === 0) return <Nothing />
  return (
    <ul className="flex flex-wrap gap-1">
      {names.map((name) => (
        <li key={name} className="rounded-control bg-surface-2 px-1.5 font-mono text-small">
          {name}
        </li>
      ))}
    </ul>
  )
}
