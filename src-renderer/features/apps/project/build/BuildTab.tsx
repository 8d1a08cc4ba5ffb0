import { Hammer } from 'lucide-react'
import { useMemo } from 'react'
import type { BuildView, ProjectDetail } from '../../../../../src-main/contract/projects.ts'
import type { Command } from '../../../../store/commands-slice.ts'
import { Button } from '../../../../ui/Button.tsx'
import { CommandsHere } from '../../../../ui/CommandsHere.tsx'
import { EmptyState } from '../../../../ui/EmptyState.tsx'
import { ErrorNotice } from '../../../../ui/ErrorNotice.tsx'
import { SkeletonRows } from '../../../../ui/Skeleton.tsx'
import { ProblemList } from '../ProblemList.tsx'
import { useBuild } from '../use-build.ts'
import { useExcludes } from '../use-excludes.ts'
import { ArtifactCard } from './ArtifactCard.tsx'
import { BuildSteps } from './BuildSteps.tsx'
import { ExcludedList } from './ExcludedList.tsx'
import { Suggestions } from './Suggestions.tsx'

/** Builds the app, and shows what became of it. */
export function BuildTab({ project }: { readonly project: ProjectDetail }) {
  const { build, error, start, cancel } = useBuild(project)
  const excludes = useExcludes(project.id)
  const { names } = excludes
  const runs = build?.state === 'running'
  const begin = () => start(names)
  const commands = useMemo<readonly Command[]>(
    () => [{ id: 'build', group: 'Project', label: 'Build', keys: 'b', run: () => start(names) }],
    [start, names],
  )
  if (error !== null && build === undefined) return <ErrorNotice error={error} />
  if (build === undefined) return <SkeletonRows rows={6} />
  return (
    <>
      <CommandsHere commands={commands} />
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
        <EmptyState icon={<Hammer />} command="drydock build">
          It is not built yet. A build makes the one file that a deploy sends: the code with all its packages.
        </EmptyState>
      ) : (
        <Built build={build} onExclude={excludes.add} excluded={names} />
      )}
    </>
  )
}

type BuiltProps = {
  readonly build: BuildView
  readonly excluded: readonly string[]
  readonly onExclude: (name: string) => void
}

function Built({ build, excluded, onExclude }: BuiltProps) {
  const { result, problems, warnings } = build
  return (
    <>
      <ProblemList label="Problems of the build" problems={problems} kind="problem" />
      <ProblemList label="Warnings of the build" problems={warnings} kind="warning" />
      <BuildSteps build={build} />
      {result !== undefined && (
        <>
          <ArtifactCard result={result} />
          <Suggestions suggestions={result.suggestions} excluded={excluded} onExclude={onExclude} />
        </>
      )}
    </>
  )
}
