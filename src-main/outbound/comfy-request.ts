/** What requests to ComfyUI servers share: where their routes are, who asks, and how much of an answer is read. */

/** A request to a route of a server. */
export type ComfyRequest = { readonly url: URL; readonly headers: Readonly<Record<string, string>> }

/**
 * The request for a route. User and password of the address are sent as the bridge sends them; fetch takes no address
 * with them, and would say them in its message.
 */
export function comfyRequest(server: string, route: string): ComfyRequest {
  const url = new URL(route, server.endsWith('/') ? server : `${server}/`)
  const credentials = `${decoded(url.username)}:${decoded(url.password)}`
  const isAnonymous = url.username === '' && url.password === ''
  url.username = ''
  url.password = ''
  return {
    url,
    headers: isAnonymous ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
  }
}

// A percent sign of a password that nobody has coded is one.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Reads the text of an answer; undefined where it is larger, and then no more of it is read. @param most bytes */
export async function readUpTo(answer: Response, most: number): Promise<string | undefined> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of answer.body ?? []) {
    bytes += part.length
    if (bytes > most) return undefined
    parts.push(part)
  }
  return new TextDecoder().decode(Buffer.concat(parts))
}
