import { useMemo } from 'react'
import type { RunDetail, RunResult } from '../../../../src-main/contract/workflows.ts'
import { readPayloadNode } from '../../../../src-main/domain/workflow/payload.ts'
import { useRuns } from '../store/editor-context.ts'
import type { ProgressOfNodes } from './node-progress.ts'
import { ResultActions } from './ResultActions.tsx'
import { RunMedia } from './RunMedia.tsx'
import { payloadOf } from './run-queries.ts'
import { whyNoResults } from './why-no-results.ts'

/** The results of a run. */
export type ResultListProps = { readonly run: RunDetail; readonly onNode: (payloadId: string) => void }

/** The results, node by node, each as large as the panel. */
export function ResultList({ run, onNode }: ResultListProps) {
  const payload = useMemo(() => payloadOf(run), [run])
  const byNode = [...Map.groupBy(run.results, ({ node }) => node ?? '')]
  if (run.status === 'IN_PROGRESS') return <Preview run={run} />
  if (run.results.length === 0) return <p className="text-ink-2">{whyNoResults(run)}</p>
  return byNode.map(([node, results]) => (
    <div key={node} className="flex min-w-0 flex-col gap-1">
      {node !== '' && byNode.length > 1 && (
        <button type="button" onClick={() => onNode(node)} className="self-start text-ink-2 hover:underline">
          {titleOf(payload, node)}
        </button>
      )}
      {results.map((result) => (
        <Result key={`${result.asset} ${result.filename}`} run={run} result={result} />
      ))}
    </div>
  ))
}

// The newest picture on the way, as large as what comes of it.
function Preview({ run }: Pick<ResultListProps, 'run'>) {
  const source = useRuns(({ shown, progress }) => (shown?.id === run.id ? newestPreview(progress) : undefined))
  if (source === undefined) return <p className="text-ink-2">{whyNoResults(run)}</p>
  return (
    <img
      src={source}
      alt="How far it is"
      className="h-auto max-h-[60vh] w-full rounded-control border border-line bg-surface-0 object-contain"
    />
  )
}

function newestPreview(progress: ProgressOfNodes): string | undefined {
  const withPreview = [...progress.values()].filter(({ preview }) => preview !== undefined)
  return (withPreview.find(({ state }) => state === 'running') ?? withPreview.at(-1))?.preview
}

function Result({ run, result }: { readonly run: RunDetail; readonly result: RunResult }) {
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <RunMedia
        result={result}
        name={`${result.filename} of run ${run.id}`}
        className="h-auto max-h-[60vh] w-full rounded-control border border-line bg-surface-0"
      />
      <figcaption className="flex flex-wrap items-center justify-between gap-x-2 text-small text-ink-2">
        <span className="min-w-0 truncate">
          {result.filename}
          {result.width !== undefined && ` · ${result.width} × ${result.height}`}
        </span>
        <ResultActions result={result} />
      </figcaption>
    </figure>
  )
}

function titleOf(payload: ReturnType<typeof payloadOf>, id: string): string {
  const node = readPayloadNode(id, payload.get(id))
  return node === undefined ? `Node ${id}` : `${node.title ?? node.classType} (${id})`
}
