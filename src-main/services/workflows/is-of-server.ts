import { isSameServer } from '../../domain/workflow/server/server-address.ts'
import type { NodeTypesOrigin } from '../ports/workflows.ts'

/** Whether classes of nodes are known that hold for this server: its own, or those that somebody gave in a file. */
export function isOfServer(origin: NodeTypesOrigin | undefined, server: string | undefined): origin is NodeTypesOrigin {
  if (origin === undefined) return false
  if (origin.source === 'file' || server === undefined) return true
  return origin.server !== undefined && isSameServer(origin.server, server)
}
