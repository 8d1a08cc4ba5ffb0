import { X } from 'lucide-react'
import type { Manifest } from '../../../../../src-main/contract/manifest.ts'
import type { ProjectDetail } from '../../../../../src-main/contract/projects.ts'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { SourcePlace } from '../ProblemList.tsx'
import { answersOf, callText, settingsOf } from './describe-endpoint.ts'

/** An endpoint of an app. `place` is missing where the source does not tell. */
export type EndpointDetailsProps = {
  readonly name: string
  readonly manifest: Manifest
  readonly calls: ProjectDetail['calls']
  readonly place: ProjectDetail['places'][string] | undefined
  readonly onClose: () => void
}

/** An endpoint's settings, where it stands in the source, what it answers, and its calls in both directions. */
export function EndpointDetails({ name, manifest, calls, place, onClose }: EndpointDetailsProps) {
  const resource = manifest.resources[name]
  if (resource === undefined) return null
  const calledBy = calls
    .filter(({ to }) => to === name)
    .map(({ from, functions }) => `${from}: ${functions.join(', ')}`)
  const callsOthers = calls.filter(({ from }) => from === name).map(({ to, functions }) => callText(to, functions))
  return (
    <section aria-label={`Endpoint ${name}`} className="flex flex-col gap-3 p-3">
      <div className="flex items-center justify-between gap-2">
        <h2 className="truncate text-section font-semibold">{name}</h2>
        <IconButton label="Show all endpoints" onClick={onClose}>
          <X />
        </IconButton>
      </div>
      {place !== undefined && <SourcePlace place={`${place.file}:${place.line}`} />}
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1">
        {settingsOf(resource).map((setting) => (
          <div key={setting.name} className="col-span-2 grid grid-cols-subgrid">
            <dt className="text-ink-2">{setting.name}</dt>
            <dd className="break-words">{setting.value}</dd>
          </div>
        ))}
      </dl>
      <Lines title="Answers" lines={answersOf(manifest, name)} />
      <Lines title="Calls" lines={callsOthers} />
      <Lines title="Called by" lines={calledBy} />
    </section>
  )
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <div className="flex flex-col gap-0.5">
      <h3 className="font-medium">{title}</h3>
      <ul className="font-mono text-small">
        {lines.map((line) => (
          <li key={line} className="break-words">
            {line}
          </li>
        ))}
      </ul>
    </div>
  )
}
