import { readFile } from 'node:fs/promises'
import { PAGE_ROUTES, sessionLink } from '../../../contract/live.ts'
import type { PreviewLink } from '../ports.ts'

const LINK_TIMEOUT_MS = 5000

export const previewLink: PreviewLink = async ({ url, keyFile }) => {
  const key = (await readFile(keyFile, 'utf8')).trim()
  const { path, methods } = PAGE_ROUTES.sessionLinkCreate
  const response = await fetch(`${url}${path}`, {
    method: methods[0],
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(LINK_TIMEOUT_MS),
  })
  if (!response.ok) throw new Error(`the preview answered with ${response.status}`)
  return sessionLink.parse(await response.json())
}
