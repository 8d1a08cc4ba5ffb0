import { Share2 } from 'lucide-react'
import { Link } from 'wouter'
import type { LiveEndpoint } from '../../../src-main/contract/live.ts'
import { ADDRESS } from '../../addresses.ts'

/** A published graph. */
export type GraphNoticeProps = { readonly id: string; readonly graph: NonNullable<LiveEndpoint['graph']> }

/** Says on every tab of a published graph whose workers run it, and where its form and its versions are. */
export function GraphNotice({ id, graph: { behind, version } }: GraphNoticeProps) {
  return (
    <section
      aria-label="Published graph"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 rounded-control border border-line bg-surface-1 px-3 py-2"
    >
      <Share2 aria-hidden className="size-4 shrink-0 text-ink-2" />
      <p className="min-w-60 flex-1">
        A published graph, version {version}. It has no workers of its own: its jobs are with those of{' '}
        <Link to={ADDRESS.endpoint(behind, 'jobs')} className="text-accent underline">
          {behind}
        </Link>
        .
      </p>
      <Link to={ADDRESS.publishedGraph(id)} className="text-accent hover:underline">
        Form, code and versions
      </Link>
    </section>
  )
}
