/** Asks a service under test as the platform's clients do, and holds each answer against the shapes. */
import { expect } from 'vitest'
import { PLATFORM_ROUTES } from '../../src-main/contract/platform-routes.ts'
import { type Asked, setup, type TestService } from './core.ts'
import { noPlatformShapes, readPlatformShapes } from './platform-shapes.ts'

/** `body` is parsed JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests compare what comes with what is expected, whatever its form
export type PlatformAnswer = { readonly status: number; readonly headers: Headers; readonly body: any }

/** A service, and how it is asked. */
export type PlatformClient = {
  readonly service: TestService
  readonly call: (method: string, path: string, body?: unknown, more?: Asked) => Promise<PlatformAnswer>
  /** Asks, expects this status and gives the body. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly expectCall: (status: number, method: string, path: string, body?: unknown) => Promise<any>
}

/** The shortest settings for an endpoint of an image. */
export const AN_ENDPOINT = {
  name: 'Echo',
  type: 'QUEUE',
  image: 'ghcr.io/ada/echo:1',
  scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
} as const

const shapes = noPlatformShapes === undefined ? readPlatformShapes() : undefined

/** The operation of a request in the shapes, if any. */
function operationAt(method: string, address: string): string | undefined {
  const parts = (address.split('?', 1)[0] ?? '').split('/')
  return shapes?.operations.find(({ method: own, path }) => {
    const wanted = path.split('/')
    const fits = (part: string, at: number) => part.startsWith('{') || part === parts[at]
    return own === method && wanted.length === parts.length && wanted.every(fits)
  })?.operationId
}

/** Starts a fresh service for a test. */
export async function platformClient(options: Parameters<typeof setup>[0] = {}): Promise<PlatformClient> {
  const service = await setup(options)

  async function call(method: string, path: string, body?: unknown, more: Asked = {}): Promise<PlatformAnswer> {
    const response = await service.request(method, path, { body, ...more })
    const { status, headers } = response
    const type = headers.get('content-type')
    const text = type?.startsWith('text/event-stream') ? undefined : await response.text()
    const answered = text === undefined || text === '' ? undefined : JSON.parse(text)
    const operationId = operationAt(method, path)
    if (operationId !== undefined && text !== undefined) {
      const problems = shapes?.problems(operationId, status, type, answered) ?? []
      // The platform must accept every accepted body.
      const ofBody = body === undefined || status >= 300 ? [] : (shapes?.bodyProblems(operationId, body) ?? [])
      expect({ operationId, status, problems, ofBody }).toEqual({ operationId, status, problems: [], ofBody: [] })
    }
    return { status, headers, body: answered }
  }

  return {
    service,
    call,
    async expectCall(wanted, method, path, body) {
      const { status, body: answered } = await call(method, path, body)
      expect({ status, body: answered }).toMatchObject({ status: wanted })
      return answered
    },
  }
}

/** Every operation of the shapes, as our table names its path. */
export const SHAPED_OPERATIONS: readonly string[] = (shapes?.operations ?? []).map(
  ({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
)

/** Every row of our table that the shapes have. */
export const OWN_OPERATIONS: readonly string[] = Object.values(PLATFORM_ROUTES).flatMap(({ methods, path }) =>
  methods.map((method) => `${method} ${path}`),
)
