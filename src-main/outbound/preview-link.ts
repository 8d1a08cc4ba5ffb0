import { readFile } from 'node:fs/promises'
import { sessionLink } from '../contract/live.ts'
import { PAGE_ROUTES } from '../contract/page-routes.ts'
import type { PreviewLink } from '../services/ports/projects.ts'

// A service of this machine that answers at all does so at once; in ms.
const TIMEOUT_MS = 5000

/** Asks the service of a preview for a link, with its own key, which stays on this machine. */
export const previewLink: PreviewLink = async ({ url, keyFile }) => {
  const key = (await readFile(keyFile, 'utf8')).trim()
  const { path, methods } = PAGE_ROUTES.sessionLinkCreate
  const answer = await fetch(`${url}${path}`, {
    method: methods[0],
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!answer.ok) throw new Error(`the preview answered with ${answer.status}`)
  return sessionLink.parse(await answer.json())
}
