/**
 * Names of variables that the service gives to workers, which nobody else may set. Builds read the same table. Source:
 * the changelog of the package runpod after 2.0.0rc2, which reserves RUNPOD_API_KEY and the runtime's identity fields,
 * and docs/spec/worker-protocol.md, 1.
 */
import reserved from '../../resources/python/svc_build/reserved_variables.json' with { type: 'json' }

const OF_WORKERS: ReadonlySet<string> = new Set(reserved.ofWorkers)
const OF_APPS: ReadonlySet<string> = new Set(reserved.ofApps)

export const RESERVED_TEXT = 'is reserved, because the service sets it. Use another name'

export const isReserved = (name: string): boolean => OF_WORKERS.has(name)

/** In the code and the variables of an app, where the SVC_ names of later versions are reserved too. */
export const isReservedInApps = (name: string): boolean => isReserved(name) || OF_APPS.has(name) || /^SVC_/.test(name)
