import type { EndpointConfig, EndpointDependents } from '../../../contract/endpoint.ts'
import { counted } from '../../../lib/text.ts'
import { isSameTarget, pathInApp, targetOf } from '../../apps/rules/app-environment.ts'

type Configured = {
  readonly id: string
  readonly config: Pick<EndpointConfig, 'name' | 'graph' | 'app' | 'callsOthers'>
}

type Uses = Pick<EndpointDependents, 'jobs' | 'schedules' | 'batches'> & {
  readonly endpoints: readonly Configured[]
  readonly release: number | undefined
  readonly comparisons: readonly {
    readonly name: string
    readonly state: string
    readonly versions: readonly { readonly endpoint: string }[]
  }[]
}

export function dependentsOf(
  { id, config: { name, app } }: Configured,
  { endpoints, release, comparisons, ...others }: Uses,
): EndpointDependents {
  const isInApp = ({ config }: Configured) => isSameTarget(targetOf(config.app), targetOf(app))
  return {
    ...others,
    graphs: endpoints.filter(({ config }) => config.graph?.behind === id).map((graph) => graph.id),
    callers: endpoints
      .filter((one) => one.id !== id && one.config.callsOthers && isInApp(one))
      .map((caller) => caller.id),
    comparisons: comparisons
      .filter(
        ({ state, versions }) =>
          state === 'running' && versions.some(({ endpoint }) => endpoint === id || endpoint === name),
      )
      .map((comparison) => comparison.name),
    ...(app === undefined || release === undefined ? {} : { release: { number: release, endpoint: pathInApp(app) } }),
  }
}

/** Merges dependents of endpoints deleted together, ignoring dependencies among them. */
export function dependentsOfAll(ids: readonly string[], all: readonly EndpointDependents[]): EndpointDependents {
  const others = (names: readonly string[]) => [...new Set(names)].filter((name) => !ids.includes(name))
  return {
    jobs: all.reduce((sum, { jobs }) => sum + jobs, 0),
    graphs: others(all.flatMap(({ graphs }) => graphs)),
    callers: others(all.flatMap(({ callers }) => callers)),
    schedules: all.flatMap(({ schedules }) => schedules),
    batches: all.flatMap(({ batches }) => batches),
    comparisons: [...new Set(all.flatMap(({ comparisons }) => comparisons))],
  }
}

/** A list for a sentence; undefined: nothing depends on it. */
export function dependentsText({
  jobs,
  graphs,
  release,
  callers,
  schedules,
  batches,
  comparisons,
}: EndpointDependents): string | undefined {
  const texts = [
    ...(jobs === 0 ? [] : [`${counted(jobs, 'unfinished job')}`]),
    ...named('published graph', graphs),
    ...(release === undefined
      ? []
      : [`release ${release.number} (incomplete until the next deploy: ${release.endpoint} is missing)`]),
    ...callers.map((caller) => `calls from ${caller}`),
    ...named('schedule', schedules),
    ...named('batch', batches),
    ...named('comparison', comparisons),
  ]
  return texts.length === 0 ? undefined : texts.join(', ')
}

export const named = (what: string, names: readonly string[]) => names.map((name) => `${what} ${name}`)
