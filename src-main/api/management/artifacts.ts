import type { Context } from 'hono'
import { artifactName } from '../../contract/app.ts'
import { APP_ROUTES } from '../../contract/app-routes.ts'
import { AppError } from '../../contract/errors.ts'
import { limit } from '../../contract/limits.ts'
import { readBody } from '../read-body.ts'
import { queryValue } from '../v2/operation.ts'
import type { AppHandler } from './app-handler.ts'

function artifactOf(c: Context): string {
  const { success, data } = artifactName.safeParse(c.req.param('artifact'))
  if (!success) throw new AppError('BAD_FIELD', { field: 'artifact', why: 'must be a SHA-256 in lower case hex' })
  return data
}

/** Uploads of artifacts, part by part; whoever was cut off asks how far it came and goes on from there. */
export const ARTIFACT_OPERATIONS = {
  artifactRead: async (c, { storage }) => c.json(await storage.artifacts.status(artifactOf(c))),
  async artifactWrite(c, { storage }) {
    const { query } = APP_ROUTES.artifactWrite
    const artifact = artifactOf(c)
    const place = { offset: queryValue(c, 'offset', query.offset), total: queryValue(c, 'total', query.total) }
    const part = await readBody(c, limit('artifactPartBytes'), 'a part of an artifact')
    return c.json(await storage.artifacts.append(artifact, place, part))
  },
} as const satisfies Record<string, AppHandler>
