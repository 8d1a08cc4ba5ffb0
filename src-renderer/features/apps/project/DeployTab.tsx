import { useQuery } from '@tanstack/react-query'
import { Rocket } from 'lucide-react'
import { useId } from 'react'
import { useSearchParams } from 'wouter'
import { environmentName } from '../../../../src-main/contract/app.ts'
import { THIS_MACHINE } from '../../../../src-main/contract/machines.ts'
import type { BuildView, ProjectDetail } from '../../../../src-main/contract/projects.ts'
import { chooseEnvironment } from '../../../../src-main/features/apps/rules/app-environment.ts'
import { ADDRESS } from '../../../addresses.ts'
import { ApiError } from '../../../api-client/api-error.ts'
import { type AppTarget, appsQuery } from '../../../api-client/app-queries.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Datalist } from '../../../ui/form/Field.tsx'
import { MachineSelect } from '../../../ui/form/MachineSelect.tsx'
import { onMachineText } from '../../../ui/form/machine-choice.ts'
import { TextLink } from '../../../ui/Links.tsx'
import { ErrorNotice } from '../../../ui/PageStates.tsx'
import { RelativeTime } from '../../../ui/Values.tsx'
import { PlanDiff, type PlanDiffProps } from '../PlanDiff.tsx'
import { ReleaseCard } from '../ReleaseCard.tsx'
import { countSteps } from '../ReleaseParts.tsx'
import { BuildSteps, ExcludedList } from './BuildParts.tsx'
import { ProblemList } from './ProblemList.tsx'
import { useBuild, useExcludes } from './use-build.ts'
import { type Deploy, type Planned, useDeploy } from './use-deploy.ts'

export function DeployTab({ project }: { readonly project: ProjectDetail }) {
  const { client } = useApp()
  const [search, setSearch] = useSearchParams()
  const { data: appList } = useQuery(appsQuery(client))
  const environments = appList?.apps.find(({ name }) => name === project.app)?.environments ?? []
  const existing = environments.map(({ name }) => name)
  const environment = search.get('environment') ?? chooseEnvironment(undefined, existing)
  const chosen = search.get('on') ?? undefined
  const excludes = useExcludes(project.id)
  const named = environmentName.safeParse(environment)
  const isPossible = named.success && project.isThere && appList !== undefined
  const on = chosen === undefined ? {} : { on: chosen }
  const number = Number(search.get('release')) || undefined
  const deploy = useDeploy({
    project,
    environment,
    machine: chosen,
    exclude: excludes.names,
    isPossible,
    isShown: number === undefined,
    onPlan: () => setSearch({ environment, ...on }, { replace: true }),
    onRelease: (made) => setSearch({ environment, release: String(made) }),
  })
  const canBegin = deploy.state === 'open' && isPossible
  const choose = (next: string) => setSearch({ environment: next }, { replace: true })
  const machine = chosen ?? environments.find(({ name }) => name === environment)?.machine ?? THIS_MACHINE
  const machineWithRoom = (next: string) =>
    setSearch({ environment, on: next === '' ? THIS_MACHINE : next }, { replace: true })
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <EnvironmentField
          value={environment}
          existing={existing}
          onChange={choose}
          fault={named.success ? undefined : `The name ${named.error.issues[0]?.message}.`}
        />
        <PlaceField value={machine} onChange={machineWithRoom} />
        <Button onClick={deploy.planAgain} disabled={!canBegin}>
          Plan again
        </Button>
        <Button kind="main" onClick={deploy.deploy} disabled={!canBegin}>
          <Rocket aria-hidden /> Deploy to {environment}
        </Button>
        <ExcludedList excludes={excludes} />
      </div>
      <DeployNow deploy={deploy} project={project} target={{ app: project.app, environment }} number={number} />
    </>
  )
}

type DeployNowProps = {
  readonly deploy: Deploy
  readonly project: ProjectDetail
  readonly target: AppTarget
  readonly number: number | undefined
}

function DeployNow({ deploy, project, target, number }: DeployNowProps) {
  const { state, planned, error, deletes, setDeletes } = deploy
  const { build } = useBuild(project, { watches: state === 'planning' })
  if (state === 'planning')
    return (
      <>
        <p role="status" className="text-ink-2">
          Building if the source has changed, and planning the deploy.
        </p>
        {build?.state === 'running' && <BuildSteps build={build} />}
      </>
    )
  if (error !== null) return <PlanProblem error={error} problems={build?.state === 'failed' ? build.problems : []} />
  if (number === undefined)
    return planned === undefined ? (
      <p className="max-w-prose text-ink-2">
        A deploy builds the app if its source has changed, starts a new worker for each endpoint, and switches over when
        all are ready. If one does not start, nothing changes and the reason is shown here.
      </p>
    ) : (
      <PlanCard planned={planned} deletes={deletes} onDeletes={setDeletes} />
    )
  return (
    <>
      <ReleaseCard key={number} target={target} number={number} />
      <TextLink to={ADDRESS.environment(target.app, target.environment)} className="self-start">
        Open {target.app}/{target.environment}: its endpoints, releases and variables
      </TextLink>
    </>
  )
}

function PlanProblem({ error, problems }: { readonly error: Error; readonly problems: BuildView['problems'] }) {
  const failed = error instanceof ApiError && error.code === 'BUILD_FAILED'
  if (!failed || problems.length === 0) return <ErrorNotice error={error} />
  return (
    <>
      <ErrorNotice error="The app does not build, for the reasons below. What is deployed stays live." />
      <ProblemList label="Problems of the build" problems={problems} kind="problem" />
    </>
  )
}

function PlanCard({ planned: { plan, at }, ...deletes }: Omit<PlanDiffProps, 'plan'> & { readonly planned: Planned }) {
  const makes = plan.makes.length === 0 ? '' : `creates the ${plan.makes.join(' and the ')}, `
  return (
    <Card
      title="Plan"
      aside={
        <span className="text-small text-ink-2">
          {countSteps(plan)}, {makes}in {plan.runsOn}
          {onMachineText({ container: { machine: plan.machine } })}, planned <RelativeTime at={at} />
        </span>
      }
    >
      <PlanDiff plan={plan} {...deletes} />
    </Card>
  )
}

function PlaceField({ value, onChange }: { readonly value: string; readonly onChange: (machine: string) => void }) {
  const id = useId()
  return (
    <div className="flex items-start gap-2">
      <label htmlFor={id} className="leading-7 font-medium">
        Workers run on
      </label>
      <MachineSelect id={id} value={value} onChange={onChange} />
    </div>
  )
}

type EnvironmentFieldProps = {
  readonly value: string
  readonly existing: readonly string[]
  readonly onChange: (name: string) => void
  readonly fault: string | undefined
}

function EnvironmentField({ value, existing, onChange, fault }: EnvironmentFieldProps) {
  const id = useId()
  const isNew = fault === undefined && !existing.includes(value)
  return (
    <div className="flex items-center gap-2">
      <label htmlFor={id} className="font-medium">
        Environment
      </label>
      <input
        id={id}
        list={`${id}-existing`}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-said`}
        autoComplete="off"
        spellCheck={false}
        className="h-7 w-44 rounded-control border border-line-strong bg-surface-1 px-2 aria-invalid:border-failed"
      />
      <Datalist id={`${id}-existing`} values={existing} />
      <span id={`${id}-said`} className={fault === undefined ? 'text-small text-ink-2' : 'text-small text-failed-ink'}>
        {fault ?? (isNew ? 'is created by the deploy' : '')}
      </span>
    </div>
  )
}
