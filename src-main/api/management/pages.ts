import { sessionCookieName } from '../../domain/auth.ts'
import { readLive } from '../../services/management/live.ts'
import { sessionSecret } from '../guards.ts'
import { endedSessionCookie, SIGN_IN_PATH } from '../sign-in.ts'
import type { AppHandler } from './app-handler.ts'

/** What the web pages ask for beside the rest: links to sign in, signing out, all at one glance. */
export const PAGE_OPERATIONS = {
  sessionLinkCreate(c, { sessions }) {
    const { code, expiresAt } = sessions.createLink()
    // The host by which this caller reaches the service, which has been checked; the browser is likely to as well.
    return c.json({ url: `http://${c.req.header('host')}${SIGN_IN_PATH}?code=${code}`, expiresAt })
  },
  async sessionEnd(c, service) {
    const secret = sessionSecret(c, service)
    if (secret !== undefined) await service.sessions.end(secret)
    c.header('set-cookie', endedSessionCookie(sessionCookieName(service.info().url)))
    return c.json({ ok: true as const })
  },
  liveRead: (c, { views, info }) => c.json(readLive(views, info())),
  figuresRead: (c, { figures }) => c.json(figures.read()),
} as const satisfies Record<string, AppHandler>
