import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { DeployPlan } from '../../../../src-main/contract/app.ts'
import type { ProjectView } from '../../../../src-main/contract/projects.ts'
import { SECOND_MS } from '../../../../src-main/contract/units.ts'
import { ApiError } from '../../../api-client/api-error.ts'
import { useApp } from '../../../store/app-context.ts'
import { useWhyNot } from '../../../ui/use-role.ts'
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
  /** Whether it can be planned: the folder is there, and the names are right. */
  readonly isPossible: boolean
  /** Whether the plan is shown, and no release. */
  readonly isShown: boolean
  /** Shows the plan. */
  readonly onPlan: () => void
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
  readonly planAgain: () => void
  /**
   * Deploys the plan. If no plan is shown, it plans first, and stops there if the plan deletes endpoints, because a
   * person must confirm each.
   */
  readonly deploy: () => void
}

// A plan is made again when somebody comes back to it later than this, ms; source: ours, the source may have changed.
const FRESH_MS = 5 * SECOND_MS
// Typing pauses this long before a plan is made, ms.
const TYPING_MS = 400

const isBuilding = (_count: number, error: Error) => error instanceof ApiError && error.code === 'BUILD_RUNNING'

/** Plans deploys of a project as soon as they are chosen, and begins them. */
export function useDeploy(options: DeployOptions): Deploy {
  const { project, environment, machine, exclude, isPossible, isShown, onPlan, onRelease } = options
  const { client, platform } = useApp()
  const queries = useQueryClient()
  const { release } = useEnvironmentActions({ app: project.app, environment })
  const [deletes, setDeletes] = useState<readonly string[]>([])
  const isSettled = useSettled(environment)
  const whyNot = useWhyNot('deploy', 'Planning a deploy')
  const plan = useQuery({
    queryKey: ['plan', project.id, environment, machine ?? null, ...exclude],
    async queryFn({ signal }): Promise<Planned> {
      const body = { environment, exclude: [...exclude], ...(machine === undefined ? {} : { machine }) }
      try {
        const planned = await client.call('projectPlan', { path: { projectId: project.id }, body, signal })
        return { ...planned, at: platform.now() }
      } finally {
        for (const queryKey of [['projects'], ['build', project.id]]) void queries.invalidateQueries({ queryKey })
      }
    },
    enabled: isShown && isPossible && isSettled && whyNot === undefined,
    staleTime: FRESH_MS,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: isBuilding,
    retryDelay: SECOND_MS,
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
  const deploy = async () => {
    const shown = isShown ? plan.data : undefined
    const planned = shown ?? (await plan.refetch()).data
    if (planned === undefined) return
    if (shown === undefined && planned.plan.steps.some(({ action }) => action === 'delete')) return onPlan()
    const number = await begin.mutateAsync(planned)
    if (number === undefined) return
    setDeletes([])
    onRelease(number)
  }
  return {
    planned: plan.data,
    error: plan.error,
    state: plan.isFetching ? 'planning' : begin.isPending ? 'beginning' : 'open',
    deletes,
    setDeletes,
    planAgain() {
      setDeletes([])
      onPlan()
      void plan.refetch()
    },
    deploy: () => void deploy(),
  }
}

/** Whether a text has stayed the same for a moment. */
function useSettled(text: string): boolean {
  const { platform } = useApp()
  const [settled, setSettled] = useState(text)
  useEffect(() => platform.after(TYPING_MS, () => setSettled(text)), [platform, text])
  return settled === text
}
