import type { EndpointDependents } from '../../contract/endpoint.ts'
import type { Endpoint } from '../../storage/storage.ts'
import { listBatches } from '../batches/batches.ts'
import { waitingJobs } from '../jobs/queue/queue-counts.ts'
import { dependentsOf } from './rules/dependents.ts'
import type { ViewDeps } from './views.ts'

export function findDependents(
  { storage, counts }: Pick<ViewDeps, 'storage' | 'counts'>,
  endpoint: Endpoint,
): EndpointDependents {
  const count = counts.of(endpoint.id)
  const { app } = endpoint.config
  const environment = app && storage.apps.environment(app.name, app.environment)
  return dependentsOf(endpoint, {
    jobs: waitingJobs(count) + count.inProgress,
    endpoints: storage.endpoints.all(),
    release: environment && storage.apps.releaseIn(environment.id, 'active')?.number,
    schedules: storage.schedules.list(endpoint.id).map(({ name }) => name),
    batches: listBatches({ storage }, endpoint.id)
      .filter(({ state }) => ['uploading', 'draft', 'running'].includes(state))
      .map(({ name }) => name),
    comparisons: storage.comparisons.list(),
  })
}
