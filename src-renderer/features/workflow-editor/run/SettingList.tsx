import { CopyButton } from '../../../ui/CopyButton.tsx'
import type { Setting } from './read-settings.ts'

/** What a run was made with. */
export type SettingListProps = { readonly settings: readonly Setting[] }

/** Settings, each with its name and the node that it belongs to where several have the same. */
export function SettingList({ settings }: SettingListProps) {
  if (settings.length === 0) return <p className="text-ink-2">Nothing was set.</p>
  const counts = Map.groupBy(settings, ({ name }) => name)
  return (
    <dl className="grid grid-cols-[minmax(6rem,max-content)_minmax(0,1fr)] gap-x-3 gap-y-1">
      {settings.map(({ node, input, name, title, value }) => (
        <div key={`${node} ${input}`} className="group contents">
          <dt className="truncate text-ink-2" title={`${title} (${node})`}>
            {name}
            {(counts.get(name)?.length ?? 0) > 1 && <span className="text-small"> · {title}</span>}
          </dt>
          <dd className="relative min-w-0">
            <span className="block max-h-40 overflow-y-auto break-words whitespace-pre-wrap tabular-nums">
              {value === '' ? <span className="text-ink-2">empty</span> : value}
            </span>
            <span className="absolute -top-1 right-0 rounded-control bg-surface-1 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
              <CopyButton text={value} what={name.toLowerCase()} />
            </span>
          </dd>
        </div>
      ))}
    </dl>
  )
}
