import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeployPlan } from '../../../../src-main/contract/app.ts'
import type { ProjectView } from '../../../../src-main/contract/projects.ts'
import { useApp } from '../../../store/app-context.ts'
import { useEnvironmentActions } from '../use-environment-actions.ts'

/** A plan and the artifact that was built for it; `at` in ms since the epoch. */
export type Planned = { readonly artifact: string; readonly plan: DeployPlan; readonly at: number }

/** What a deploy is made of. */
export type DeployOptions = {
  readonly project: Pick<ProjectView, 'id' | 'app'>
  readonly environment: string
  /** Where its workers run from now on; undefined: as before. */
  readonly machine: string | undefined
  /** Packages that the build leaves out. */
  readonly exclude: readonly string[]
  /** Is notified of the release that it became. */
  readonly onRelease: (number: number) => void
}

/** A deploy: planned, looked at, begun. */
export type Deploy = {
  readonly planned: Planned | undefined
  readonly error: Error | null
  readonly state: 'open' | 'planning' | 'beginning'
  /** Endpoints that may be deleted. */
  readonly deletes: readonly string[]
  readonly setDeletes: (resources: readonly string[]) => void
  /** Plans anew: the source may have changed. */
  readonly makePlan: () => void
  /**
   * Does what was planned. Without a plan it makes one, and stops there where endpoints could go: each wants its tick.
   */
  readonly deploy: () => void
  /** Forgets the plan. */
  readonly reset: () => void
}

/** Plans and begins deploys of a project. */
export function useDeploy({ project, environment, machine, exclude, onRelease }: DeployOptions): Deploy {
  const { client, platform } = useApp()
  const queries = useQueryClient()
  const { release } = useEnvironmentActions({ app: project.app, environment })
  const [deletes, setDeletes] = useState<readonly string[]>([])
  const plan = useMutation({
    async mutationFn(): Promise<Planned> {
      const body = { environment, exclude, ...(machine === undefined ? {} : { machine }) }
      const planned = await client.call('projectPlan', { path: { projectId: project.id }, body })
      return { ...planned, at: platform.now() }
    },
    onSettled() {
      for (const queryKey of [['projects'], ['build', project.id]]) void queries.invalidateQueries({ queryKey })
    },
  })
  const begin = useMutation({
    mutationFn: ({ artifact, plan: { git } }: Planned) =>
      release(
        { artifact },
        {
          deletes: [...deletes],
          ...(git === undefined ? {} : { git }),
          ...(machine === undefined ? {} : { machine }),
        },
      ),
  })
  const reset = () => {
    plan.reset()
    setDeletes([])
  }
  const makePlan = async () => {
    setDeletes([])
    return plan.mutateAsync().catch(() => undefined) // The page shows `error`.
  }
  const deploy = async () => {
    const planned = plan.data ?? (await makePlan())
    if (planned === undefined) return
    if (plan.data === undefined && planned.plan.steps.some(({ action }) => action === 'delete')) return
    const number = await begin.mutateAsync(planned)
    if (number === undefined) return
    reset()
    onRelease(number)
  }
  return {
    planned: plan.data,
    error: plan.error,
    state: plan.isPending ? 'planning' : begin.isPending ? 'beginning' : 'open',
    deletes,
    setDeletes,
    makePlan: () => void makePlan(),
    deploy: () => void deploy(),
    reset,
  }
}
