import { AppError } from '../../contract/errors.ts'
import { findMissingModel, type LoadingNode } from '../../domain/workflow-runs/installed-models.ts'
import type { Models } from '../models/models.ts'
import type { Endpoint } from '../ports.ts'

const NAMED = 5

/**
 * Refuses a graph that loads a model which the workers of the endpoint do not have.
 * @param deps.models what is in the folders, which workers have too
 * @param nodes gives the nodes; not called where the endpoint checks nothing
 * @throws AppError MODEL_NOT_INSTALLED
 */
export function refuseMissingModels(
  { models: { here } }: { readonly models: Pick<Models, 'here'> },
  { id, config }: Endpoint,
  nodes: () => Iterable<LoadingNode>,
): void {
  const { models, checkModels, modelFolders } = config.workflows ?? {}
  if (models === undefined || checkModels === false) return
  const given = modelFolders === false ? [] : here()
  const missing = findMissingModel(nodes(), { named: models, here: given })
  if (missing === undefined) return
  here(true) // a file that somebody has put there by hand counts at the next try
  throw new AppError('MODEL_NOT_INSTALLED', { ...missing, endpointId: id, installed: inWords(models) })
}

function inWords(models: readonly string[]): string {
  if (models.length === 0) return 'no model'
  const more = models.length - NAMED
  return models.slice(0, NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
