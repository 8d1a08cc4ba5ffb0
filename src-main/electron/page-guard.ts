/**
 * What the pages of the window may do: where they may go, what they may use, and what they may ask of the desktop. All
 * that no rule allows is refused. Nothing here needs Electron: window.ts sets these rules.
 */
import { existsSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import type { WebPreferences } from 'electron'
import { BRIDGE_CALLS, type DesktopBridge } from '../contract/bridge.ts'
import type { BridgeCall } from '../contract/bridge-channels.ts'
import { isEditorLink } from '../contract/editors.ts'
import { PAGE_SECTIONS } from '../contract/pages.ts'

/** What a window's pages may do, which is what they may do in a browser; the rest is set off by name. */
export const WEB_PREFERENCES = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  plugins: false,
  navigateOnDragDrop: false,
  safeDialogs: true,
  // Its dictionaries come from servers of others.
  spellcheck: false,
} as const satisfies WebPreferences

/** Who sent a call. */
export type Sender = {
  /** Address of the frame; undefined: it is gone. */
  readonly address: string | undefined
  /** Whether the frame is the window's own and not one within its page. */
  readonly isWindow: boolean
}

/** What answers the calls, once they are checked. */
export type BridgeHandlers = Omit<DesktopBridge, 'onNotice'>

/**
 * Answers one call of a page.
 * @throws Error for a page of another origin, a frame within a page, or an argument of another form; a page sees its
 *   message alone
 */
export async function handleBridgeCall(
  call: BridgeCall,
  argument: unknown,
  {
    sender,
    origin,
    handlers,
  }: { readonly sender: Sender; readonly origin: string | undefined; readonly handlers: BridgeHandlers },
): Promise<unknown> {
  if (!sender.isWindow || sender.address === undefined || !isOwn(sender.address, origin))
    throw new Error(`${call} was refused: it did not come from a page of the service`)
  const { argument: form, response } = BRIDGE_CALLS[call]
  const { data, success } = form.safeParse(argument)
  if (!success) throw new Error(`${call} was refused: its argument has another form`)
  // Each function takes what its own schema gives, which the type of the table cannot say.
  return response.parse(await (handlers[call] as (argument: unknown) => Promise<unknown>)(data))
}

/** What happens with an address that a window wants to go to. */
export type Navigation = 'inside' | 'outside' | 'refused'

// What the browser of the system may be given. Not http: the ports of this machine are somebody's services, and a link
// in the output of a job is not to reach them.
const OUTSIDE: ReadonlySet<string> = new Set(['https:', 'mailto:'])
// The first parts of the addresses that are pages: what workers answer below /lb/ has the same origin, and is none.
const PAGES: ReadonlySet<string> = new Set(['', 'sign-in', ...PAGE_SECTIONS])
// The pages of a preview are those of another service of this machine, and are reached by a link of its own.
const PREVIEW = /^http:\/\/127\.0\.0\.1:\d+\/sign-in\?/
// Chromium's names; a page copies by the first and has no need of the second but to ask.
const PERMISSIONS: ReadonlySet<string> = new Set(['clipboard-sanitized-write', 'notifications'])

/**
 * Evaluates an address that a page wants to go to or open.
 * @param origin that of the service, like http://127.0.0.1:8790; undefined: none is up
 */
export function evaluateNavigation(address: string, origin: string | undefined): Navigation {
  if (!URL.canParse(address)) return 'refused'
  const url = new URL(address)
  // A name in the address is there to look like another host.
  if (url.username !== '' || url.password !== '') return 'refused'
  if (isPage(url, origin)) return 'inside'
  if (isEditorLink(address)) return 'outside'
  return OUTSIDE.has(url.protocol) || PREVIEW.test(url.href) || isOrigin(url, origin) ? 'outside' : 'refused'
}

/** Whether a page of this address or origin may use something. @param permission as Chromium names it */
export function mayUse(permission: string, from: string, origin: string | undefined): boolean {
  return PERMISSIONS.has(permission) && isOwn(from, origin)
}

/** Whether an address is one of the service's own pages. */
export function isOwn(address: string, origin: string | undefined): boolean {
  return URL.canParse(address) && isPage(new URL(address), origin)
}

function isPage(url: URL, origin: string | undefined): boolean {
  return isOrigin(url, origin) && PAGES.has(url.pathname.split('/', 2)[1] ?? '')
}

function isOrigin(url: URL, origin: string | undefined): boolean {
  // `blob:` addresses have the origin of who made them, and are no pages.
  return origin !== undefined && url.protocol === 'http:' && url.origin === origin
}

/**
 * Whether a path may be shown in the file manager: an absolute path of this machine. Paths like \\host\share are none:
 * looking at one sends the user's name to that host.
 */
export function mayReveal(path: string, platform: NodeJS.Platform): boolean {
  if (path.includes('\0')) return false
  if (platform !== 'win32') return posix.isAbsolute(path)
  return win32.isAbsolute(path) && /^[A-Za-z]:[\\/]/.test(path)
}

/** Shows a file in the file manager. @returns false where it may not be shown, or is not there */
export function revealFile(path: string, show: (path: string) => void, platform: NodeJS.Platform): boolean {
  if (!mayReveal(path, platform) || !existsSync(path)) return false
  show(path)
  return true
}
