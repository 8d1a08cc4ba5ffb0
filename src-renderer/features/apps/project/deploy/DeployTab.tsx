import { useQuery } from '@tanstack/react-query'
import { Rocket } from 'lucide-react'
import { Link, useSearchParams } from 'wouter'
import { environmentName } from '../../../../../src-main/contract/app.ts'
import type { BuildView, ProjectDetail } from '../../../../../src-main/contract/projects.ts'
import { chooseEnvironment } from '../../../../../src-main/domain/app/choose-environment.ts'
import { ADDRESS } from '../../../../addresses.ts'
import { ApiError } from '../../../../api-client/api-error.ts'
import { appsQuery, type Place } from '../../../../api-client/app-queries.ts'
import { useApp } from '../../../../store/app-context.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Card } from '../../../../ui/Card.tsx'
import { ErrorNotice } from '../../../../ui/ErrorNotice.tsx'
import { RelativeTime } from '../../../../ui/Values.tsx'
import { countSteps } from '../../release/count-steps.ts'
import { PlanDiff } from '../../release/PlanDiff.tsx'
import { ReleaseCard } from '../../release/ReleaseCard.tsx'
import { BuildSteps } from '../build/BuildSteps.tsx'
import { ExcludedList } from '../build/ExcludedList.tsx'
import { ProblemList } from '../ProblemList.tsx'
import { useBuild } from '../use-build.ts'
import { useExcludes } from '../use-excludes.ts'
import { EnvironmentField } from './EnvironmentField.tsx'
import { type Deploy, type Planned, useDeploy } from './use-deploy.ts'

/** Deploys the app: what would change, then the release as it goes. */
export function DeployTab({ project }: { readonly project: ProjectDetail }) {
  const { client } = useApp()
  const [search, setSearch] = useSearchParams()
  const { data: appList } = useQuery(appsQuery(client))
  const existing = appList?.apps.find(({ name }) => name === project.app)?.environments.map(({ name }) => name) ?? []
  const environment = search.get('environment') ?? chooseEnvironment(undefined, existing)
  const excludes = useExcludes(project.id)
  const deploy = useDeploy({
    project,
    environment,
    exclude: excludes.names,
    onRelease: (number) => setSearch({ environment, release: String(number) }),
  })
  const named = environmentName.safeParse(environment)
  const canBegin = deploy.state === 'open' && named.success && project.isThere
  const choose = (next: string) => {
    deploy.reset()
    setSearch({ environment: next }, { replace: true })
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <EnvironmentField
          value={environment}
          existing={existing}
          onChange={choose}
          fault={named.success ? undefined : `The name ${named.error.issues[0]?.message}.`}
        />
        <Button onClick={deploy.makePlan} disabled={!canBegin}>
          {deploy.planned === undefined ? 'Show plan' : 'Plan again'}
        </Button>
        <Button kind="main" onClick={deploy.deploy} disabled={!canBegin}>
          <Rocket aria-hidden /> Deploy to {environment}
        </Button>
        <ExcludedList excludes={excludes} />
      </div>
      <DeployNow deploy={deploy} project={project} place={{ app: project.app, environment }} />
    </>
  )
}

type DeployNowProps = { readonly deploy: Deploy; readonly project: ProjectDetail; readonly place: Place }

/** What a deploy does now, or did: building, the plan, the release, why it did not work. */
function DeployNow({ deploy, project, place }: DeployNowProps) {
  const { state, planned, error, deletes, setDeletes } = deploy
  const [search] = useSearchParams()
  const { build } = useBuild(project, { watches: state === 'planning' })
  const number = Number(search.get('release')) || undefined
  if (state === 'planning')
    return (
      <>
        <p role="status" className="text-ink-2">
          Building where the source has changed, and looking at what a deploy would do.
        </p>
        {build?.state === 'running' && <BuildSteps build={build} />}
      </>
    )
  if (error !== null) return <PlanFault error={error} problems={build?.state === 'failed' ? build.problems : []} />
  if (planned !== undefined) return <PlanCard planned={planned} deletes={deletes} onDeletes={setDeletes} />
  if (number === undefined) return <Explained />
  return (
    <>
      <ReleaseCard key={number} place={place} number={number} />
      <Link to={ADDRESS.environment(place.app, place.environment)} className="self-start text-accent hover:underline">
        Open {place.app}/{place.environment}: its endpoints, releases and variables
      </Link>
    </>
  )
}

type PlanFaultProps = { readonly error: Error; readonly problems: BuildView['problems'] }

function PlanFault({ error, problems }: PlanFaultProps) {
  const failed = error instanceof ApiError && error.code === 'BUILD_FAILED'
  if (!failed || problems.length === 0) return <ErrorNotice error={error} />
  return (
    <>
      <ErrorNotice error="The app does not build, for the reasons below. What is deployed serves on as before." />
      <ProblemList label="Problems of the build" problems={problems} kind="problem" />
    </>
  )
}

type PlanCardProps = {
  readonly planned: Planned
  readonly deletes: readonly string[]
  readonly onDeletes: (deletes: readonly string[]) => void
}

function PlanCard({ planned: { plan, at }, deletes, onDeletes }: PlanCardProps) {
  const makes = plan.makes.length === 0 ? '' : `makes the ${plan.makes.join(' and the ')}, `
  return (
    <Card
      title="Plan"
      aside={
        <span className="text-small text-ink-2">
          {countSteps(plan)}, {makes}in {plan.runsOn}, planned <RelativeTime at={at} />
        </span>
      }
    >
      <PlanDiff plan={plan} deletes={deletes} onDeletes={onDeletes} />
    </Card>
  )
}

function Explained() {
  return (
    <p className="max-w-prose text-ink-2">
      A deploy builds the app where its source has changed, starts a worker of each endpoint beside those that serve,
      and switches over when all are ready. When one does not start, nothing changes and its reason is shown here.
    </p>
  )
}
