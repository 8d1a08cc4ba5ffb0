import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeployPlan } from '../../../../src-main/contract/app.ts'
import type { ProjectView } from '../../../../src-main/contract/projects.ts'
import { present } from '../../../../src-main/lib/json/plain.ts'
import { SECOND_MS } from '../../../../src-main/lib/units.ts'
import { ApiError } from '../../../api-client/api-error.ts'
import { useApp } from '../../../store/app-context.ts'
import { useWhyNot } from '../../../ui/use-role.ts'
import { usePaused } from '../../../ui/Values.tsx'
import { useEnvironmentActions } from '../use-environment-actions.ts'

/** A plan with its built artifact; `at` in ms since the epoch. */
export type Planned = { readonly artifact: string; readonly plan: DeployPlan; readonly at: number }

export type DeployOptions = {
  readonly project: Pick<ProjectView, 'id' | 'app'>
  readonly environment: string
  /** Where its workers run from now on; undefined means unchanged. */
  readonly machine: string | undefined
  readonly exclude: readonly string[]
  readonly isPossible: boolean
  readonly isShown: boolean
  readonly onPlan: () => void
  readonly onRelease: (number: number) => void
}

export type Deploy = ReturnType<typeof useDeploy>

// Plans older than this are renewed on return, ms; source: ours, the source may have changed.
const FRESH_MS = 5 * SECOND_MS
// How long typing must pause before a plan is made, ms.
const TYPING_MS = 400

const isBuilding = (_count: number, error: Error) => error instanceof ApiError && error.code === 'BUILD_RUNNING'

export function useDeploy(options: DeployOptions) {
  const { project, environment, machine, exclude, isPossible, isShown, onPlan, onRelease } = options
  const { client, platform } = useApp()
  const queries = useQueryClient()
  const { release } = useEnvironmentActions({ app: project.app, environment })
  const [deletes, setDeletes] = useState<readonly string[]>([])
  const isSettled = usePaused(environment, TYPING_MS) === environment
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
          ...present({ git, machine }),
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
    /**
     * Without a visible plan it plans first, and stops if that deletes endpoints, because a person must confirm each.
     */
    deploy: () => void deploy(),
  }
}
