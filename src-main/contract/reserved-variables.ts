/** Variables that only the service may set for workers. Builds read the same table. Source: docs/spec/worker-protocol.md, 1. */
import reserved from '../../resources/python/svc_build/reserved_variables.json' with { type: 'json' }

const OF_WORKERS: ReadonlySet<string> = new Set(reserved.ofWorkers)
const OF_APPS: ReadonlySet<string> = new Set(reserved.ofApps)

export const RESERVED_TEXT: string = reserved.refusal

export const isReserved = (name: string): boolean => OF_WORKERS.has(name)

/** Apps keep all SVC_ names free for later versions. */
export const isReservedInApps = (name: string): boolean => isReserved(name) || OF_APPS.has(name) || /^SVC_/.test(name)
