/** Admits only the browser that opened the one-time link of `drydock comfy open`. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { MINUTE_MS } from '../../../lib/units.ts'
import { isOwnRequest, type PageRequest, pageCookie, secretIn } from '../rules/page-access.ts'

export type IsSameUser = (socket: Socket) => Promise<boolean>

const LINK_MS = MINUTE_MS
const newSecret = () => randomBytes(16).toString('hex')

export function createPageAccess(isSameUser: IsSameUser) {
  const secret = newSecret()
  let code: string | undefined = newSecret()
  let own = ''

  async function redeem(given: string, { socket }: IncomingMessage): Promise<boolean> {
    const isRight = code !== undefined && isSame(given, code) && (await isSameUser(socket))
    if (isRight) code = undefined
    return isRight
  }

  const hasSecret = (asked: PageRequest) => isSame(secretIn(asked) ?? '', secret)

  return {
    isAdmitted(incoming: IncomingMessage): boolean {
      const asked = askedBy(incoming)
      return isOwnRequest(asked, own) && hasSecret(asked)
    },
    /** @returns undefined for an admitted request */
    async answer(incoming: IncomingMessage) {
      const asked = askedBy(incoming)
      if (!isOwnRequest(asked, own)) return { status: 403 }
      const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://page')
      const given = searchParams.get('code')
      if (pathname === '/' && given !== null && (await redeem(given, incoming))) {
        const headers = { 'set-cookie': pageCookie(secret), 'cache-control': 'no-store', location: '/' }
        return { status: 303, headers: { ...headers, 'referrer-policy': 'no-referrer' } }
      }
      if (hasSecret(asked)) return undefined
      const text = 'This link has been used or has expired. Run `drydock comfy open` again.\n'
      return { status: 401, headers: { 'content-type': 'text/plain' }, text }
    },
    linkAt(pagePort: number): string {
      own = `comfy-${newSecret()}.localhost:${pagePort}`
      setTimeout(() => {
        code = undefined
      }, LINK_MS).unref()
      return `http://${own}/?code=${code}`
    },
  }
}

const askedBy = ({ headers }: IncomingMessage): PageRequest => ({
  ...{ host: headers.host, origin: headers.origin, cookie: headers.cookie },
  fetchSite: headers['sec-fetch-site']?.toString(),
})

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}
