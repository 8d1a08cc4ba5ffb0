import type { DesktopNotice } from '../../contract/bridge.ts'
import { errorCode } from '../../lib/error-code.ts'
import { readAccountKey } from '../cli/find-service.ts'
import { createServiceClient, type ServiceClient } from '../client/service-client.ts'
import type { Log, TimeSource } from '../core.ts'
import type { SettingsFile } from './desktop-settings.ts'
import { type EndedNote, type EndedNotifier, notifyEnded } from './ended-work.ts'
import { followService, type JobCounts } from './follow-service.ts'
import { type ServiceState, ServiceSupervisor, type SupervisorNeeds } from './supervise-service.ts'
import { type TrayAction, type TrayView, trayView } from './tray-menu.ts'

export type Shell = {
  readonly show: () => void
  readonly load: (address: string) => Promise<void>
  readonly isWatched: () => boolean
  readonly notifyPages: (notice: DesktopNotice) => void
  readonly showTray: (view: TrayView) => void
  readonly notify: (note: EndedNote) => void
  readonly askAboutFault: (fault: Fault, signal: AbortSignal) => Promise<'Retry' | 'Show log' | 'Quit'>
  readonly askToWait: (running: number, signal: AbortSignal) => Promise<'wait' | 'now'>
  readonly showLog: () => void
  readonly quit: () => void
}

export type Fault = { readonly title: string; readonly why: string }

export type DesktopNeeds = Omit<SupervisorNeeds, 'onChange' | 'time'> & {
  readonly shell: Shell
  readonly settings: SettingsFile
  readonly time: TimeSource
  readonly log: Log
  readonly firstPage?: string | undefined
}

// Delay before reloading a failed page, ms; immediate reloads could loop.
const PAGE_AGAIN_MS = 1000
const ANSWER_MS = 1000
// Consecutive failed sign-ins before a dialog appears; the first are normal while a service stops.
const ASK_FROM = 3

export class Desktop {
  readonly #needs: DesktopNeeds
  readonly #supervisor: ServiceSupervisor
  readonly #notifier: EndedNotifier
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
    this.#notifier = notifyEnded({
      time: needs.time,
      wanted: () => needs.settings.read().notifications && !needs.shell.isWatched(),
      show: (note) => needs.shell.notify(note),
    })
  }

  get origin(): string | undefined {
    const { state } = this.#supervisor
    return state.kind === 'up' ? state.url : undefined
  }

  start(): void {
    this.#supervisor.start()
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end()
    return this.#stopped
  }

  async #end(): Promise<void> {
    this.#notifier.stop()
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

  async #runningNow(): Promise<number> {
    try {
      const live = await this.#service?.client.call('liveRead', { signal: AbortSignal.timeout(ANSWER_MS) })
      return live?.endpoints.reduce((sum, { inProgress }) => sum + inProgress, 0) ?? 0
    } catch {
      return this.#counts.running
    }
  }

  open(page?: string): void {
    if (this.#stopped !== undefined) return
    if (this.#hasLoaded) this.#needs.shell.show()
    else this.#askAboutState()
    if (page !== undefined) this.#goTo(page)
  }

  signInAgain(page: string | undefined): void {
    this.#signedInTo = undefined
    this.#page = page ?? this.#page
    if (this.origin !== undefined) void this.#connect(this.origin, false)
  }

  /** Notifies once that Drydock keeps running after the window closes, because some systems have no tray. */
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

  pageLost(page: string | undefined): void {
    if (this.#stopped !== undefined) return
    this.#signedInTo = undefined
    this.#page = page ?? this.#page
    this.#cancelReload()
    this.#cancelReload = this.#needs.time.after(PAGE_AGAIN_MS, () => this.signInAgain(undefined))
  }

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
    if (state.kind !== 'up') this.#disconnect()
    this.#drawTray()
    switch (state.kind) {
      case 'up':
        log.info('service is up', { url: state.url, own: state.own })
        this.#asking?.abort()
        void this.#connect(state.url, state.restarted)
        return
      case 'down':
        log.warn('service ended unexpectedly', { why: state.why, crashes: state.crashes })
        shell.notifyPages({ ...state, kind: 'service-ended' })
        if (this.#signedInTo === undefined) this.#askAboutState()
        return
      case 'refused':
        log.warn('service could not start', { why: state.why })
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

  async #connect(url: string, restarted: boolean): Promise<void> {
    const { log, shell } = this.#needs
    try {
      await this.#signIn(url, restarted)
    } catch (error) {
      if (this.origin !== url || this.#stopped !== undefined) return
      if (errorCode(error) === 'ERR_ABORTED') return shell.show()
      log.warn('could not sign in the window', { error })
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
    this.#disconnect()
    this.#service = { client, following }
    const listener = {
      onCounts: (counts: JobCounts) => {
        this.#counts = counts
        this.#drawTray()
      },
      onEnded: this.#notifier.add,
    }
    void followService(client, { key, after: time.after, listener, signal: following.signal })
    if (restarted) shell.notifyPages({ kind: 'service-restarted' })
    // Pages reconnect to a service at the same address by themselves and keep unsaved input.
    if (this.#signedInTo === url) return
    await this.#load(this.#page)
    this.#failedSignIns = 0
    this.#asking?.abort()
    if (this.#stopped === undefined) shell.show()
  }

  #disconnect(): void {
    this.#service?.following.abort()
    this.#service = undefined
    this.#counts = { running: 0, waiting: 0 }
  }

  #goTo(page: string): void {
    this.#page = page
    if (this.#service === undefined) return
    this.#load(page).catch((error) => {
      if (errorCode(error) !== 'ERR_ABORTED') this.#needs.log.warn('could not open the page', { page, error })
    })
  }

  async #load(page: string): Promise<void> {
    const client = this.#service?.client
    if (client === undefined) return
    const signInAddress = async () => `${(await client.call('sessionLinkCreate')).url}&to=${encodeURIComponent(page)}`
    const address = this.#signedInTo === client.url ? client.url + page : await signInAddress()
    this.#cancelReload()
    await this.#needs.shell.load(address)
    this.#hasLoaded = true
    this.#signedInTo = client.url
  }

  async #ask(fault: Fault): Promise<void> {
    if (this.#asking !== undefined) return
    const { shell } = this.#needs
    const asking = new AbortController()
    this.#asking = asking
    const choice = await shell.askAboutFault(fault, asking.signal)
    this.#asking = undefined
    if (asking.signal.aborted || this.#stopped !== undefined) return
    if (choice === 'Quit') shell.quit()
    else if (choice === 'Retry') this.#retry()
    else {
      shell.showLog()
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
