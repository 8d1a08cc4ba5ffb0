import { Download } from 'lucide-react'
import { useMemo } from 'react'
import type { RunDetail, RunResult } from '../../../../src-main/contract/workflows.ts'
import { readPayloadNode } from '../../../../src-main/features/workflows/rules/payload.ts'
import { EmptyState } from '../../../ui/PageStates.tsx'
import { JobStateDot } from '../../../ui/StateDot.tsx'
import { whyNoResults } from '../../workflow-editor/run/RunDetails.tsx'
import { RunMedia } from '../../workflow-editor/run/RunMedia.tsx'
import { payloadOf } from '../../workflow-editor/run/run-queries.ts'
import { assetAddress } from '../../workflow-editor/widgets/upload-asset.ts'

export function RunResults({ run }: { readonly run: RunDetail }) {
  const payload = useMemo(() => payloadOf(run), [run])
  if (run.results.length === 0)
    return run.errors.length > 0 ? null : (
      <EmptyState icon={<JobStateDot state={run.status} />}>{whyNoResults(run)}</EmptyState>
    )
  return run.results.map((result) => (
    <figure key={`${result.asset} ${result.filename} ${result.node}`} className="flex min-w-0 flex-col gap-1">
      <RunMedia
        result={result}
        name={`${result.filename} of run ${run.id}`}
        className="h-auto max-h-[75vh] max-w-full self-start rounded-control border border-line bg-surface-1"
      />
      <figcaption className="flex items-center gap-2 text-small text-ink-2">
        <span className="truncate">{captionOf(result, payload)}</span>
        <a
          href={assetAddress(result.asset)}
          download={result.filename}
          className="inline-flex items-center gap-1 text-accent hover:underline [&_svg]:size-4"
        >
          <Download aria-hidden /> Save {result.filename}
        </a>
      </figcaption>
    </figure>
  ))
}

function captionOf({ node, width, height }: RunResult, payload: ReturnType<typeof payloadOf>): string {
  const known = node === undefined ? undefined : readPayloadNode(node, payload.get(node))
  const location = node === undefined ? [] : [`${known?.title ?? known?.classType ?? 'Node'} (${node})`]
  const size = width === undefined ? [] : [`${width} × ${height}`]
  return [...location, ...size].join(' · ')
}
