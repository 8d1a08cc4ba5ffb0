import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { LoadTest, LoadTestCreate } from '../../contract/requests.ts'
import { followView } from '../../http/follow-view.ts'
import type { ManagementOperations } from '../../http/operation.ts'
import { isRecord, plainJson } from '../../lib/json/plain.ts'
import type { Endpoint } from '../../storage/storage.ts'
import { requireLoadBalanced, requireQueue } from '../endpoints/kinds/endpoint-kinds.ts'
import { endpointOf } from '../endpoints/routes.ts'
import type { ServiceBase } from '../service-context.ts'
import type { LoadTests } from './load-tests.ts'

type Services = ServiceBase & { readonly loadTests: LoadTests }

export const LOAD_TEST_OPERATIONS = {
  loadTestList: ({ path }, service) => ({ loadTests: service.loadTests.list(endpointOf(path, service).id) }),
  async loadTestCreate({ path, body }, service) {
    const endpoint = endpointOf(path, service)
    requireFit(service, endpoint, body)
    return await service.loadTests.start(endpoint, body)
  },
  loadTestRead({ c, path, query }, service) {
    const test = loadTestOf(path, service)
    if (query.follow !== 'true') return test
    const { loadTests, stopping } = service
    const view = () => loadTests.read(test.endpointId, test.id)
    const { notifier } = loadTests
    return followView(c, { notifier, stopping, event: 'load-test', view, isLast: ({ state }) => state !== 'running' })
  },
  async loadTestStop({ path }, service) {
    await service.loadTests.stop(loadTestOf(path, service).id, 'stopped by a person')
    return loadTestOf(path, service)
  },
} as const satisfies Partial<ManagementOperations<Services>>

function loadTestOf(path: { readonly endpointId: string; readonly loadTestId: string }, service: Services): LoadTest {
  const { id: endpointId } = endpointOf(path, service)
  const { loadTestId } = path
  const test = service.loadTests.read(endpointId, loadTestId)
  if (test === undefined)
    throw new AppError('LOAD_TEST_NOT_FOUND', { endpointId, loadTestId: loadTestId.slice(0, 100) })
  return test
}

function requireFit(
  service: Services,
  endpoint: Endpoint,
  { operation, body = '', method = 'GET', requests }: LoadTestCreate,
) {
  if (operation === 'request') requireLoadBalanced(endpoint, service)
  else requireQueue(endpoint, service)
  if (operation !== 'request' && !isRecord(plainJson(body)))
    throw new AppError('BAD_FIELD', { field: 'body', why: 'must be the text of a JSON object with an `input` object' })
  if (operation === 'request' && body !== '' && (method === 'GET' || method === 'HEAD'))
    throw new AppError('BAD_FIELD', { field: 'body', why: `is not possible with ${method}. Choose another method` })
  const most = Math.floor(limit('loadTestBytes') / Math.max(1, Buffer.byteLength(body)))
  if (requests > most)
    throw new AppError('BAD_FIELD', { field: 'body', why: `is too large for this many requests: ${most} at most` })
}
