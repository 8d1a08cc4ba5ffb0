import type { Context } from 'hono'
import type { ServiceContext } from '../../services/service-context.ts'

/** One operation of the management API; the account key has been checked. */
export type AppHandler = (c: Context, service: ServiceContext) => Promise<Response> | Response
