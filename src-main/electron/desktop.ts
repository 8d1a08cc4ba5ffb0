/**
 * The desktop around the pages, without Electron: what happens when the service comes, goes or moves, when somebody
 * opens a link, and in which order all of it ends. `Shell` is what it needs of Electron; main.ts gives it.
 */

import { readAccountKey } from '../cli/find-service.ts'
import { createServiceClient, type ServiceClient } from '../client/service-client.ts'
import type { DesktopNotice } from '../contract/bridge.ts'
import type { Log, TimeSource } from '../core.ts'
import { errorCode } from '../domain/error-code.ts'
import type { SettingsFile } from './desktop-settings.ts'
import { type EndedNote, type EndedNotifier, notifyEnded } from './ended-work.ts'
import { followService, type JobCounts } from './follow-service.ts'
import { type ServiceState, ServiceSupervisor, type SupervisorNeeds } from './supervise-service.ts'
import { type TrayAction, type TrayView, trayView } from './tray-menu.ts'

/** What the desktop needs of Electron. */
export type Shell = {
  /** Shows the window in front of the others. */
  readonly show: () => void
  /** Leads the window to an address; resolves when it is there, rejects when it is not. */
  readonly load: (address: string) => Promise<void>
  /** Whether somebody looks at the window. */
  readonly isWatched: () => boolean
  readonly notifyPages: (notice: DesktopNotice) => void
  readonly showTray: (view: TrayView) => void
  readonly notify: (note: EndedNote) => void
  /** Asks what to do about a fault, until the signal is aborted. */
  readonly askAboutFault: (fault: Fault, signal: AbortSignal) => Promise<'Retry' | 'Show log' | 'Quit'>
  /** Asks whether to wait for running jobs before it quits, until the signal is aborted. */
  readonly askToWait: (running: number, signal: AbortSignal) => Promise<'wait' | 'now'>
  readonly showLog: () => void
  /** Ends the desktop; it calls `stop` on the way. */
  readonly quit: () => void
}

/** What keeps the window from opening, in a heading and a sentence. */
export type Fault = { readonly title: string; readonly why: string }

/** What the desktop works with. */
export type DesktopNeeds = Omit<SupervisorNeeds, 'onChange' | 'time'> & {
  readonly shell: Shell
  readonly settings: SettingsFile
  readonly time: TimeSource
  readonly log: Log
  /** Page that is opened first. */
  readonly firstPage?: string | undefined
}

// Before a page that could not be loaded is tried again, in ms: not at once, which could be a loop without a pause.
const PAGE_AGAIN_MS = 1000
// How long a service that is about to be stopped is asked for its jobs, in ms.
const ANSWER_MS = 1000
// Failed sign-ins in a row until the user is asked; the first ones pass with a service that is just ending.
const ASK_FROM = 3

/** Has a life: start() and stop(), both safe to call twice. */
export class Desktop {
  readonly #needs: DesktopNeeds
  readonly #supervisor: ServiceSupervisor
  readonly #teller: EndedNotifier
  #counts: JobCounts = { running: 0, waiting: 0 }
  #service: { readonly client: ServiceClient; readonly following: AbortController } | undefined
  #signedInTo: string | undefined
  #page: string
  #cancelReload: () => void = () => undefined
  #asking: AbortController | undefined
  #hasLoaded = false
  #failedSignIns = 0
  #stopped: Promise<void> | undefined

  constructor(needs: DesktopNeeds) {
    this.#needs = needs
    this.#page = needs.firstPage ?? '/'
    this.#supervisor = new ServiceSupervisor({ ...needs, onChange: (state) => this.#changed(state) })
    this.#teller = notifyEnded({
      time: needs.time,
      wanted: () => needs.settings.read().notifications && !needs.shell.isWatched(),
      show: (note) => needs.shell.notify(note),
    })
  }

  /** Origin of the service's pages; undefined while none is up. */
  get origin(): string | undefined {
    const { state } = this.#supervisor
    return state.kind === 'up' ? state.url : undefined
  }

  /** Starts the service, then the window. */
  start(): void {
    this.#supervisor.start()
  }

  /** Stops the service that it started, with its workers. */
  stop(): Promise<void> {
    this.#stopped ??= this.#end()
    return this.#stopped
  }

  async #end(): Promise<void> {
    this.#teller.stop()
    this.#cancelReload()
    const { state } = this.#supervisor
    const running = state.kind === 'up' && state.own ? await this.#runningNow() : 0
    this.#service?.following.abort()
    const stopped = this.#supervisor.stop()
    if (running > 0) {
      const over = new AbortController()
      void stopped.finally(() => over.abort())
      if ((await this.#needs.shell.askToWait(running, over.signal)) === 'now') this.#supervisor.hurry()
    }
    await stopped
  }

  // The events may be behind.
  async #runningNow(): Promise<number> {
    try {
      const live = await this.#service?.client.call('liveRead', { signal: AbortSignal.timeout(ANSWER_MS) })
      return live?.endpoints.reduce((sum, { inProgress }) => sum + inProgress, 0) ?? 0
    } catch {
      return this.#counts.running
    }
  }

  /** Brings the window to the front. @param page to navigate to; undefined: it stays on its page */
  open(page?: string): void {
    if (this.#stopped !== undefined) return
    // Before its first page it is blank.
    if (this.#hasLoaded) this.#needs.shell.show()
    else this.#askAboutState()
    if (page !== undefined) this.#goTo(page)
  }

  /** Signs the window in again and reopens its page. @param page the window's; undefined: it shows none of ours */
  signInAgain(page: string | undefined): void {
    this.#signedInTo = undefined
    this.#page = page ?? this.#page
    // From the start: the account key may have been changed.
    if (this.origin !== undefined) void this.#meet(this.origin, false)
  }

  /** The window was closed and all goes on, which is said once: some systems show no tray. */
  windowHidden(): void {
    const { settings, shell } = this.#needs
    if (settings.read().toldOfTray) return
    settings.change({ toldOfTray: true })
    shell.notify({
      title: 'Drydock keeps running',
      body: 'Open it from the tray, or start it again. You can change this in the tray menu.',
      page: this.#page,
    })
  }

  /** Reloads a page after a pause: it or one of its scripts failed to load, or its renderer crashed. */
  pageLost(page: string | undefined): void {
    if (this.#stopped !== undefined) return
    this.#signedInTo = undefined
    this.#page = page ?? this.#page
    this.#cancelReload()
    this.#cancelReload = this.#needs.time.after(PAGE_AGAIN_MS, () => this.signInAgain(undefined))
  }

  /** Does what somebody chose in the tray. */
  act(action: TrayAction): void {
    const { settings, shell } = this.#needs
    const { notifications, keepInTray } = settings.read()
    const actions: Readonly<Record<TrayAction, () => void>> = {
      open: () => this.open(),
      jobs: () => this.open('/jobs'),
      restart: () => this.#supervisor.retry(),
      log: shell.showLog,
      notifications: () => this.#set({ notifications: !notifications }),
      keepInTray: () => this.#set({ keepInTray: !keepInTray }),
      quit: shell.quit,
    }
    actions[action]()
  }

  #set(change: { readonly notifications: boolean } | { readonly keepInTray: boolean }): void {
    this.#needs.settings.change(change)
    this.#drawTray()
  }

  #changed(state: ServiceState): void {
    const { log, shell } = this.#needs
    if (state.kind !== 'up') this.#leave()
    this.#drawTray()
    switch (state.kind) {
      case 'up':
        log.info('service is up', { url: state.url, own: state.own })
        this.#asking?.abort()
        void this.#meet(state.url, state.restarted)
        return
      case 'down':
        log.warn('service ended unexpectedly', { why: state.why, crashes: state.crashes })
        shell.notifyPages({ ...state, kind: 'service-ended' })
        if (this.#signedInTo === undefined) this.#askAboutState()
        return
      case 'refused':
        log.warn('service does not start', { why: state.why })
        shell.notifyPages({ kind: 'service-refused', why: state.why })
        this.#askAboutState()
    }
  }

  #askAboutState(): void {
    const { state } = this.#supervisor
    if (state.kind === 'refused') void this.#ask({ title: 'The service could not start', why: state.why })
    if (state.kind === 'down' && state.looping)
      void this.#ask({
        title: 'The service keeps stopping',
        why: `It stopped ${state.crashes} times. Last error: ${state.why}`,
      })
  }

  async #meet(url: string, restarted: boolean): Promise<void> {
    const { log } = this.#needs
    try {
      await this.#signIn(url, restarted)
    } catch (error) {
      // Another service may have taken over, or the desktop may be stopping.
      if (this.origin !== url || this.#stopped !== undefined) return
      log.warn('the window could not be signed in', { error })
      this.#failedSignIns += 1
      this.pageLost(undefined)
      if (this.#failedSignIns >= ASK_FROM)
        await this.#ask({ title: 'The window could not sign in', why: textOf(error) })
    }
  }

  async #signIn(url: string, restarted: boolean): Promise<void> {
    const { data, shell, time } = this.#needs
    const key = (await readAccountKey(data)) ?? ''
    const client = createServiceClient({ url, key })
    const following = new AbortController()
    if (this.origin !== url || this.#stopped !== undefined) return
    this.#leave()
    this.#service = { client, following }
    const listener = {
      onCounts: (counts: JobCounts) => {
        this.#counts = counts
        this.#drawTray()
      },
      onEnded: this.#teller.add,
    }
    void followService(client, { key, after: time.after, listener, signal: following.signal })
    if (restarted) shell.notifyPages({ kind: 'service-restarted' })
    // The pages find a service that came back at the same address by themselves, and keep what is being typed.
    if (this.#signedInTo === url) return
    await this.#load(this.#page)
    this.#failedSignIns = 0
    this.#asking?.abort()
    if (this.#stopped === undefined) shell.show()
  }

  #leave(): void {
    this.#service?.following.abort()
    this.#service = undefined
    this.#counts = { running: 0, waiting: 0 }
  }

  #goTo(page: string): void {
    this.#page = page
    if (this.#service === undefined) return // it goes there as soon as the service is up
    this.#load(page).catch((error) => {
      // A later navigation replaced this one.
      if (errorCode(error) !== 'ERR_ABORTED') this.#needs.log.warn('the page could not be opened', { page, error })
    })
  }

  async #load(page: string): Promise<void> {
    const client = this.#service?.client
    if (client === undefined) return
    const load = async (address: string) => {
      this.#cancelReload()
      await this.#needs.shell.load(address)
      this.#hasLoaded = true
    }
    const isSignedIn = this.#signedInTo === client.url
    if (!isSignedIn) {
      await load((await client.call('sessionLinkCreate')).url)
      this.#signedInTo = client.url
    }
    // A link leads to the first page by itself.
    if (isSignedIn || page !== '/') await load(client.url + page)
  }

  async #ask(fault: Fault): Promise<void> {
    if (this.#asking !== undefined) return
    const { shell } = this.#needs
    const asking = new AbortController()
    this.#asking = asking
    const choice = await shell.askAboutFault(fault, asking.signal)
    this.#asking = undefined
    // What was asked about is over.
    if (asking.signal.aborted || this.#stopped !== undefined) return
    if (choice === 'Quit') shell.quit()
    else if (choice === 'Retry') this.#retry()
    else {
      shell.showLog()
      // Nothing else would ask again.
      if (this.#supervisor.state.kind === 'refused' || this.origin !== undefined) await this.#ask(fault)
    }
  }

  #retry(): void {
    if (this.origin === undefined) this.#supervisor.retry()
    else this.signInAgain(undefined)
  }

  #drawTray(): void {
    const { settings, shell } = this.#needs
    shell.showTray(trayView(this.#supervisor.state, this.#counts, settings.read()))
  }
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
