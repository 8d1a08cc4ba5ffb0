import type { Context } from 'hono'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import type { LoadTest, LoadTestCreate } from '../../contract/load-tests.ts'
import { addressesOf } from '../../services/management/views.ts'
import type { Endpoint } from '../../services/ports.ts'
import type { ServiceContext } from '../../services/service-context.ts'
import { followAsEvents } from '../follow.ts'
import { readJson } from '../read-body.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'
import { endpointOf } from './endpoints.ts'

// As of a saved request: the body is a text within JSON.
const BODY_BYTES = 2 * limit('managementBodyBytes')

/** Load tests: started, followed, stopped, read again. */
export const LOAD_TEST_OPERATIONS = {
  loadTestList: (c, service) => c.json({ loadTests: service.loadTests.list(endpointOf(c, service).id) }),
  async loadTestCreate(c, service) {
    const endpoint = endpointOf(c, service)
    const { value } = await readJson(c, BODY_BYTES, 'this operation')
    const plan = APP_ROUTES.loadTestCreate.body.parse(value)
    requireFit(service, endpoint, plan)
    return c.json(await service.loadTests.start(endpoint, plan))
  },
  loadTestRead(c, service) {
    const test = loadTestOf(c, service)
    const follow = queryValue(c, 'follow', APP_ROUTES.loadTestRead.query.follow)
    return follow === 'true' ? followLoadTest(c, service, test) : c.json(test)
  },
  async loadTestStop(c, service) {
    await service.loadTests.stop(loadTestOf(c, service).id, 'stopped by a person')
    return c.json(loadTestOf(c, service))
  },
} as const satisfies Record<string, AppHandler>

function loadTestOf(c: Context, service: ServiceContext): LoadTest {
  const { id: endpointId } = endpointOf(c, service)
  const loadTestId = c.req.param('loadTestId') ?? ''
  const test = service.loadTests.read(endpointId, loadTestId)
  if (test === undefined)
    throw new AppError('LOAD_TEST_NOT_FOUND', { endpointId, loadTestId: loadTestId.slice(0, 100) })
  return test
}

/** Refuses what would fail a hundred thousand times. */
function requireFit(
  service: ServiceContext,
  endpoint: Endpoint,
  { operation, body = '', method = 'GET', requests }: LoadTestCreate,
) {
  const { url, hostUrl } = addressesOf(endpoint, service.info().url)
  const isBalanced = endpoint.config.loadBalanced !== undefined
  if (isBalanced && operation !== 'request')
    throw new AppError('NOT_QUEUE_BASED', { endpointId: endpoint.id, address: `${url}/ or ${hostUrl}/` })
  if (!isBalanced && operation === 'request')
    throw new AppError('NOT_LOAD_BALANCED', { endpointId: endpoint.id, address: `${url}/run or ${url}/runsync` })
  if (operation !== 'request' && !isObject(body))
    throw new AppError('BAD_FIELD', { field: 'body', why: 'must be the text of a JSON object with an `input` object' })
  if (operation === 'request' && body !== '' && (method === 'GET' || method === 'HEAD'))
    throw new AppError('BAD_FIELD', { field: 'body', why: `goes with no ${method} request. Choose another method` })
  const most = Math.floor(limit('loadTestBytes') / Math.max(1, Buffer.byteLength(body)))
  if (requests > most)
    throw new AppError('BAD_FIELD', { field: 'body', why: `would be sent more often than fits: ${most} times at most` })
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** Sends the test whenever it has come further, until it has ended. */
function followLoadTest(c: Context, { loadTests, stopping }: ServiceContext, first: LoadTest): Response {
  let id = 0
  let sent = ''
  return followAsEvents(c, {
    bell: loadTests.bell,
    stopping,
    read() {
      const test = loadTests.read(first.endpointId, first.id)
      if (test === undefined) return { items: [], more: false, end: true }
      const data = JSON.stringify(test)
      const end = test.state !== 'running'
      if (data === sent) return { items: [], more: false, end }
      sent = data
      id += 1
      return { items: [{ id, event: 'load-test', data }], more: false, end }
    },
  })
}
