/** Where a class or a model can be had that the chosen endpoint lacks. */
import type { CatalogEntry } from '../../../../src-main/contract/catalog.ts'
import type { LiveEndpoint } from '../../../../src-main/contract/live.ts'
import type { NodeTypes } from '../../../../src-main/domain/workflow/node-types.ts'
import type { Missing } from './find-problems.ts'

/** An endpoint that takes workflows. */
export type WorkflowEndpoint = Pick<LiveEndpoint, 'id' | 'name' | 'workflows'>

/** Whether an endpoint has it, as far as it has told. */
export function endpointHas({ kind, name }: Missing, { workflows }: WorkflowEndpoint, types: NodeTypes): boolean {
  if (kind === 'class') return types.has(name)
  if (workflows?.models !== undefined) return workflows.models.includes(name)
  // A server names the files that it has in the choices of its loaders.
  return [...types.values()].some(({ inputs }) => inputs.some(({ choices }) => choices?.includes(name)))
}

/**
 * The entries of the catalog that have it. A model: they list it, or their example loads it. A class: their server comes
 * with it; those with a model of their own are left out, as they are chosen for the model.
 * @param builtIn classes that come with a server
 */
export function entriesWith(
  { kind, name }: Missing,
  entries: readonly CatalogEntry[],
  builtIn: NodeTypes,
): readonly CatalogEntry[] {
  if (kind === 'class')
    return entries.filter(({ classes, model }) => classes === 'comfyui' && model === undefined && builtIn.has(name))
  const quoted = JSON.stringify(name)
  return entries.filter(({ settings, example }) =>
    [settings, example].some((part) => JSON.stringify(part).includes(quoted)),
  )
}
