export type RequestCount = {
  readonly route: string
  readonly method: string
  readonly status: number
  readonly count: number
}

export type RequestCounts = ReturnType<typeof createRequestCounts>

export function createRequestCounts() {
  const routes = new Map<string, Map<string, Map<number, number>>>()
  return {
    of(route: string): (method: string, status: number) => void {
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
    all: (): readonly RequestCount[] =>
      [...routes].flatMap(([route, methods]) =>
        [...methods].flatMap(([method, statuses]) =>
          [...statuses].map(([status, count]) => ({ route, method, status, count })),
        ),
      ),
  }
}
