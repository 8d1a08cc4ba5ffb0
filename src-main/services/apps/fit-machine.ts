/**
 * What an app asks for, fitted to this machine. An app for a card that a laptop lacks still runs there, so that it can be
 * developed; what is not as it asks is said.
 */
import { RUNS_ON, type RunsOn } from '../../contract/app.ts'
import { containerSettings } from '../../contract/container.ts'
import { AppError } from '../../contract/errors.ts'
import type { Manifest, ManifestResource } from '../../contract/manifest.ts'
import type { Fleet } from '../ports.ts'

/** What fits. */
export type Fitted = {
  readonly runsOn: RunsOn
  readonly resources: Readonly<Record<string, ManifestResource>>
  readonly warnings: readonly string[]
}

const [CONTAINERS, PROCESSES] = RUNS_ON

/**
 * Looks what this machine has.
 * @throws AppError BAD_FIELD when containers are asked for and there are none
 */
export async function fitToMachine(
  fleet: Pick<Fleet, 'refusal'>,
  { resources }: Pick<Manifest, 'resources'>,
  { runsOn: asked, withoutImages }: { readonly runsOn?: RunsOn | undefined; readonly withoutImages: boolean },
): Promise<Fitted> {
  const noEngine = await fleet.refusal({ container: containerSettings.parse({}) })
  if (asked === CONTAINERS && noEngine !== undefined)
    throw new AppError('BAD_FIELD', { field: 'runsOn', why: noEngine })
  const runsOn = asked ?? (noEngine === undefined ? CONTAINERS : PROCESSES)
  const warnings =
    asked === undefined && noEngine !== undefined
      ? [`No containers: ${noEngine}. Workers are processes of this machine.`]
      : []
  const fitted: Record<string, ManifestResource> = {}
  for (const [name, resource] of Object.entries(resources)) {
    if (resource.imageName !== undefined && withoutImages && noEngine !== undefined) {
      warnings.push(`${name} is left out: its image ${resource.imageName} needs containers.`)
      continue
    }
    const inContainer = runsOn === CONTAINERS || resource.imageName !== undefined
    const { gpuIds, warning } = inContainer ? await fitCards(fleet, name, resource) : { gpuIds: resource.gpuIds }
    if (warning !== undefined) warnings.push(warning)
    const { gpuIds: _asked, ...others } = resource
    fitted[name] = gpuIds === undefined ? others : { ...others, gpuIds }
  }
  return { runsOn, resources: fitted, warnings }
}

async function fitCards(
  fleet: Pick<Fleet, 'refusal'>,
  name: string,
  { gpuIds, gpuCount }: ManifestResource,
): Promise<{ readonly gpuIds: string | undefined; readonly warning?: string }> {
  if (gpuIds === undefined) return { gpuIds }
  const refusal = (gpu: string) => fleet.refusal({ container: containerSettings.parse({ gpu, gpuCount }) })
  const why = await refusal(gpuIds)
  if (why === undefined) return { gpuIds }
  if ((await refusal('any')) === undefined)
    return { gpuIds: 'any', warning: `${name} asks for a card ${gpuIds} and runs on one of this machine: ${why}.` }
  return { gpuIds: undefined, warning: `${name} asks for a card and runs without one: ${why}.` }
}
