import { ChevronRight } from 'lucide-react'
import type { Manifest } from '../../../../../src-main/contract/manifest.ts'
import type { ProjectDetail } from '../../../../../src-main/contract/projects.ts'
import { answersOf, callText, hardwareText, workersText } from './describe-endpoint.ts'

/** The endpoints of an app. */
export type EndpointListProps = {
  readonly manifest: Manifest
  readonly calls: ProjectDetail['calls']
  readonly onSelect: (name: string) => void
}

/** The picture in words: each endpoint, what it answers and whom it calls. */
export function EndpointList({ manifest, calls, onSelect }: EndpointListProps) {
  return (
    <ul aria-label="Endpoints" className="flex flex-col">
      {Object.entries(manifest.resources).map(([name, resource]) => (
        <li key={name} className="border-b border-line/60 last:border-0">
          <button
            type="button"
            onClick={() => onSelect(name)}
            className="flex w-full items-start gap-2 px-3 py-2 text-left -outline-offset-2 hover:bg-surface-2"
          >
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{name}</span>
              <span className="block truncate text-small text-ink-2">
                {hardwareText(resource)}, {workersText(resource)}
              </span>
              <span className="block truncate font-mono text-small">{answersOf(manifest, name).join(', ')}</span>
              {calls
                .filter(({ from }) => from === name)
                .map(({ to, functions }) => (
                  <span key={to} className="block truncate text-small text-ink-2">
                    calls {callText(to, functions)}
                  </span>
                ))}
            </span>
            <ChevronRight aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-2" />
          </button>
        </li>
      ))}
    </ul>
  )
}
