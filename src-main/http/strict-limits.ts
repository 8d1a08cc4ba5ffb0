import { AppError } from '../contract/errors.ts'
import { STRICT_LIMITS } from '../contract/limits.ts'
import type { ServiceContext } from '../features/service-context.ts'

const WINDOW_MS = 10_000

type Use = { windowStart: number; count: number; open: number }

const nothing = () => undefined

/** With the setting off, a call only reads it. Source: docs/spec/job-api.md, 8. */
export function createStrictLimits({
  settings,
  clock,
  registry,
}: Pick<ServiceContext, 'settings' | 'clock' | 'registry'>) {
  const uses = new Map<string, Use>()
  return {
    /**
     * Call the result when the request is answered.
     * @throws AppError TOO_MANY_REQUESTS while strict limits are on
     */
    enter(endpointId: string, operation: string): () => void {
      const { strictLimits, strictLimitsFleetShare } = settings.get()
      if (!strictLimits || !isLimited(operation)) return nothing
      const base = STRICT_LIMITS[operation]
      const running = registry
        .ofEndpoint(endpointId)
        .filter(({ state }) => state === 'running' || state === 'idle').length
      const per10s = Math.max(base.per10s, Math.floor((running * base.per10s) / strictLimitsFleetShare))
      const use = currentUse(uses, `${endpointId} ${operation}`, clock.steady())
      const seconds = Math.max(1, Math.ceil((use.windowStart + WINDOW_MS - clock.steady()) / 1000))
      if (use.count >= per10s)
        throw new AppError('TOO_MANY_REQUESTS', { limit: `${per10s} requests in 10 s`, operation, seconds })
      if (base.atOnce !== undefined && use.open >= base.atOnce) {
        throw new AppError('TOO_MANY_REQUESTS', { limit: `${base.atOnce} requests at once`, operation, seconds: 1 })
      }
      use.count += 1
      use.open += 1
      return () => {
        use.open -= 1
      }
    },
  }
}

function isLimited(operation: string): operation is keyof typeof STRICT_LIMITS {
  return operation in STRICT_LIMITS
}

function currentUse(uses: Map<string, Use>, name: string, now: number): Use {
  const use = uses.get(name) ?? { windowStart: now, count: 0, open: 0 }
  uses.set(name, use)
  if (now - use.windowStart >= WINDOW_MS) {
    use.windowStart = now
    use.count = 0
  }
  return use
}
