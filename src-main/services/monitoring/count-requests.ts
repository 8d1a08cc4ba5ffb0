/** Counts of HTTP requests by route, method and status. Routes are rows of tables, so there are only so many. */

/** How often a route was answered so. */
export type RequestCount = {
  readonly route: string
  readonly method: string
  readonly status: number
  readonly count: number
}

/** The counts since the start. */
export type RequestCounts = {
  /** What counts the requests of a route: to be made once, as it is called by each request. */
  readonly of: (route: string) => (method: string, status: number) => void
  readonly all: () => readonly RequestCount[]
}

/** Makes counts that begin with nothing. */
export function createRequestCounts(): RequestCounts {
  const routes = new Map<string, Map<string, Map<number, number>>>()
  return {
    of(route) {
      const methods = routes.get(route) ?? new Map<string, Map<number, number>>()
      routes.set(route, methods)
      return (method, status) => {
        let statuses = methods.get(method)
        if (statuses === undefined) {
          statuses = new Map()
          methods.set(method, statuses)
        }
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    },
    all: () =>
      [...routes].flatMap(([route, methods]) =>
        [...methods].flatMap(([method, statuses]) =>
          [...statuses].map(([status, count]) => ({ route, method, status, count })),
        ),
      ),
  }
}
