import { Container, FileCode } from 'lucide-react'
import type { CatalogEntry } from '../../../src-main/contract/catalog.ts'
import { serverOfEntry } from '../../../src-main/domain/workflow/server/entry-server.ts'
import { Button } from '../../ui/Button.tsx'
import { StateDot } from '../../ui/StateDot.tsx'
import { wantsOf } from './find-entries.ts'
import { ServerState } from './ServerState.tsx'

/** An entry of the catalog. */
export type EntryCardProps = { readonly entry: CatalogEntry; readonly onOpen: () => void }

/** An entry at a glance: what it is, what it wants, and whether this machine can run it. */
export function EntryCard({ entry, onOpen }: EntryCardProps) {
  const { name, summary, model, image, missing } = entry
  const Icon = image === undefined ? FileCode : Container
  const [first] = missing
  const server = serverOfEntry(entry.settings)
  return (
    <li className="flex min-w-0 flex-col gap-2 rounded-control border border-line bg-surface-1 p-3">
      <div className="flex items-start gap-2">
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-2" />
        <div className="min-w-0 flex-1">
          <h2 className="truncate font-semibold">{name}</h2>
          <p className="text-ink-2">{summary}</p>
        </div>
      </div>
      <p className="truncate font-mono text-small text-ink-2" title={image}>
        {image ?? 'handler file'}
      </p>
      <p className="text-small text-ink-2">{[model, ...wantsOf(entry)].filter(Boolean).join(' · ')}</p>
      <div className="mt-auto flex items-end justify-between gap-2 pt-1">
        {first === undefined && server !== undefined && <ServerState />}
        {first === undefined && server === undefined && <StateDot tone="completed" word="Runs on this machine" />}
        {first !== undefined && (
          <div className="min-w-0 text-small">
            <StateDot tone="timed-out" word="Cannot run here yet" />
            <p className="line-clamp-2 text-ink-2" title={first.what}>
              {sentence(first.what)}
            </p>
          </div>
        )}
        {first === undefined ? (
          <Button onClick={onOpen} aria-label={`Create endpoint from ${name}`}>
            Create endpoint
          </Button>
        ) : (
          <Button onClick={onOpen} aria-label={`What is missing for ${name}`}>
            What is missing
          </Button>
        )}
      </div>
    </li>
  )
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
