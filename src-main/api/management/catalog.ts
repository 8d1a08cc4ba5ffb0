import type { AppHandler } from './app-handler.ts'

/** What comes ready to be made into an endpoint. */
export const CATALOG_OPERATIONS = {
  catalogList: async (c, { catalog }) => c.json({ entries: await catalog.list() }),
} as const satisfies Record<string, AppHandler>
