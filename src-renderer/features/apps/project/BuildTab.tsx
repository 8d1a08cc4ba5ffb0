import { useQuery } from '@tanstack/react-query'
import { Check, Hammer } from 'lucide-react'
import type { BuildView, ProjectDetail } from '../../../../src-main/contract/projects.ts'
import { ADDRESS } from '../../../addresses.ts'
import { appsQuery } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button, CopyButton } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { bytes } from '../../../ui/format.ts'
import { TextLink } from '../../../ui/Links.tsx'
import { CommandsHere } from '../../../ui/Page.tsx'
import { EmptyState, ErrorNotice, SkeletonRows } from '../../../ui/PageStates.tsx'
import { RelativeTime } from '../../../ui/Values.tsx'
import { ArtifactCard } from './ArtifactCard.tsx'
import { BuildSteps, ExcludedList } from './BuildParts.tsx'
import { ProblemList } from './ProblemList.tsx'
import { useBuild, useExcludes } from './use-build.ts'

export function BuildTab({ project }: { readonly project: ProjectDetail }) {
  const { build, error, start, cancel } = useBuild(project)
  const excludes = useExcludes(project.id)
  const { names } = excludes
  const runs = build?.state === 'running'
  const begin = () => start(names)
  if (error !== null && build === undefined) return <ErrorNotice error={error} />
  if (build === undefined) return <SkeletonRows rows={6} />
  return (
    <>
      <CommandsHere commands={[{ id: 'build', group: 'Project', label: 'Build', keys: 'b', run: begin }]} />
      <div className="flex flex-wrap items-center gap-3">
        <ExcludedList excludes={excludes} />
        <span className="ml-auto" />
        {runs ? (
          <Button onClick={() => cancel()}>Cancel build</Button>
        ) : (
          <Button kind="main" onClick={begin} disabled={!project.isThere}>
            <Hammer aria-hidden /> {build === null ? 'Build' : 'Build again'}
          </Button>
        )}
      </div>
      {build === null ? (
        <NoBuildHere project={project} />
      ) : (
        <>
          <ProblemList label="Problems of the build" problems={build.problems} kind="problem" />
          <ProblemList label="Warnings of the build" problems={build.warnings} kind="warning" />
          <BuildSteps build={build} />
          {build.result !== undefined && (
            <>
              <ArtifactCard result={build.result} />
              <Suggestions suggestions={build.result.suggestions} excluded={names} onExclude={excludes.add} />
            </>
          )}
        </>
      )}
    </>
  )
}

/** The service forgets builds at its end, and commands build for themselves. */
function NoBuildHere({ project: { app, folder } }: { readonly project: ProjectDetail }) {
  const { client } = useApp()
  const { data } = useQuery(appsQuery(client))
  const environments = data?.apps.find(({ name }) => name === app)?.environments ?? []
  const [live] = environments
    .flatMap(({ active }) => active ?? [])
    .sort((one, other) => other.createdAt - one.createdAt)
  return (
    <EmptyState icon={<Hammer />} command="drydock build" folder={folder}>
      {live === undefined ? (
        'Not built here yet. A build creates the file that a deploy sends: the code with all its packages.'
      ) : (
        <>
          No build was started on this page since the service started; builds by commands are not shown here.{' '}
          <TextLink to={ADDRESS.environment(app, live.environment, 'releases')}>
            Release {live.number} in {live.environment}
          </TextLink>
          , deployed <RelativeTime at={live.createdAt} />, has its own build.
        </>
      )}
    </EmptyState>
  )
}

type SuggestionsProps = {
  readonly suggestions: NonNullable<BuildView['result']>['suggestions']
  readonly excluded: readonly string[]
  readonly onExclude: (name: string) => void
}

export function Suggestions({ suggestions, excluded, onExclude }: SuggestionsProps) {
  if (suggestions.length === 0) return null
  return (
    <Card title="Could be left out">
      <ul aria-label="Could be left out" className="flex flex-col">
        {suggestions.map((one) => (
          <li
            key={`${one.how} ${one.entry}`}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line/60 px-3 py-1.5 last:border-0"
          >
            <span className="min-w-0 font-medium break-all">{one.path}</span>
            <span className="text-ink-2">{bytes(one.bytes)}</span>
            <span className="min-w-60 flex-1 text-ink-2">{one.why}</span>
            {one.how === 'exclude' ? (
              <ExcludeButton
                name={one.entry}
                isExcluded={excluded.includes(one.entry)}
                onExclude={() => onExclude(one.entry)}
              />
            ) : (
              <span className="flex items-center gap-1 text-small text-ink-2">
                Line for <code className="font-mono">.gitignore</code>:{' '}
                <code className="font-mono text-ink">{one.entry}</code>
                <CopyButton text={one.entry} what="line" />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

type ExcludeButtonProps = { readonly name: string; readonly isExcluded: boolean; readonly onExclude: () => void }

function ExcludeButton({ name, isExcluded, onExclude }: ExcludeButtonProps) {
  if (!isExcluded) return <Button onClick={onExclude}>Leave {name} out</Button>
  return (
    <span className="flex items-center gap-1.5 text-ink-2">
      <Check aria-hidden className="size-4 text-completed" /> left out of the next build
    </span>
  )
}
