import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { DesktopNotice } from '../../src-main/contract/bridge.ts'
import { Desktop, type Shell } from '../../src-main/electron/desktop.ts'
import { openSettings } from '../../src-main/electron/desktop-settings.ts'
import type { EndedNote } from '../../src-main/electron/ended-work.ts'
import { findOtherService } from '../../src-main/electron/find-other-service.ts'
import type { TrayView } from '../../src-main/electron/tray-menu.ts'
import { systemTime } from '../../src-main/server/system-ports.ts'
import { appProject } from '../apps/support.ts'
import { signal } from '../support/process-table.ts'
import { servedService } from '../support/served-service.ts'
import { place, startChild, until } from './support.ts'

/** A window that keeps cookies and follows redirects as one of Electron does, and draws nothing. */
function windowWithCookies() {
  const visited: string[] = []
  let cookie = ''
  async function load(address: string): Promise<void> {
    visited.push(address.replace(/code=.*/, 'code=...'))
    const answer = await fetch(address, { redirect: 'manual', headers: { cookie } })
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
    const next = answer.headers.get('location')
    if (next !== null) await load(new URL(next, address).href)
  }
  const ask = async (url: string) => (await fetch(url, { headers: { cookie } })).status
  return { load, ask, visited }
}

function setup(
  on: { readonly data?: string; readonly port?: number; readonly firstPage?: string; readonly program?: string } = {},
) {
  const { folder, mark, marked, ...fresh } = place()
  const data = on.data ?? fresh.data
  const window = windowWithCookies()
  const told: DesktopNotice[] = []
  const trays: TrayView[] = []
  const notes: EndedNote[] = []
  const asked: string[] = []
  const shown: string[] = []
  const pids: number[] = []
  let watched = false
  const shell: Shell = {
    show: () => void shown.push('shown'),
    load: window.load,
    isWatched: () => watched,
    notifyPages: (notice) => void told.push(notice),
    showTray: (view) => void trays.push(view),
    notify: (note) => void notes.push(note),
    async askAboutStart(why) {
      asked.push(why)
      return 'Quit'
    },
    async askToWait(running) {
      shown.push(`waits for ${running}`)
      return 'now'
    },
    showLog: () => void shown.push('log'),
    quit: () => void shown.push('quit'),
  }
  const settings = openSettings(join(folder, 'settings.json'), () => undefined)
  const desktop = new Desktop({
    ...{ data, port: on.port, shell, settings, time: systemTime, firstPage: on.firstPage },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    startChild(options) {
      const child = startChild(options, { mark, log: join(folder, 'output.log'), program: on.program })
      pids.push(child.pid ?? 0)
      return child
    },
    findOther: () => findOtherService(data, systemTime),
  })
  onTestFinished(() => desktop.stop())
  const up = () =>
    until(() => {
      expect(shown).toContain('shown')
      if (desktop.origin === undefined) throw new Error('no service is up')
      return desktop.origin
    })
  const watch = (seen: boolean) => {
    watched = seen
  }
  return { desktop, window, told, trays, notes, asked, shown, settings, marked, pids, up, watch, data }
}

describe('the desktop', () => {
  test('starts the service, signs its window in and shows it; its end leaves nothing', async () => {
    const { desktop, window, up, shown, marked } = setup()
    desktop.start()
    const origin = await up()
    expect(window.visited).toEqual([`${origin}/sign-in?code=...`, `${origin}/`])
    expect(await window.ask(`${origin}/api/info`)).toBe(200)
    expect(shown).toEqual(['shown'])
    await desktop.stop()
    expect(marked()).toEqual([])
  })

  test('opens the page of a link that came before the service was up, and those that come later', async () => {
    const { desktop, window, up } = setup({ firstPage: '/jobs/a' })
    desktop.start()
    const origin = await up()
    expect(window.visited.at(-1)).toBe(`${origin}/jobs/a`)
    desktop.open('/endpoints/hello')
    await until(() => expect(window.visited.at(-1)).toBe(`${origin}/endpoints/hello`))
    expect(window.visited.filter((address) => address.includes('sign-in'))).toHaveLength(1)
  })

  test('tells the pages that the service was killed and is back; the window stays where it is, signed in', async () => {
    // The usual port could go to another service of these tests before it is back.
    const { desktop, window, up, told, pids } = setup({ port: 0 })
    desktop.start()
    const origin = await up()
    const before = window.visited.length
    signal(pids[0] ?? 0, 'SIGKILL')
    await until(() => expect(told.map(({ kind }) => kind)).toEqual(['service-ended', 'service-restarted']))
    expect(told[0]).toEqual({
      kind: 'service-ended',
      why: 'it was killed',
      restartInMs: 500,
      crashes: 1,
      looping: false,
    })
    expect(desktop.origin).toBe(origin)
    expect(window.visited).toHaveLength(before)
    expect(await window.ask(`${origin}/api/info`)).toBe(200)
  })

  test('takes the service that runs already; where that ends, signs the window in to its own', async () => {
    const other = servedService()
    await other.start()
    const { desktop, window, up, told } = setup({ data: other.data })
    desktop.start()
    expect(await up()).toBe(other.url())
    await other.stop()
    await until(() => expect(told.map(({ kind }) => kind)).toContain('service-restarted'))
    const origin = desktop.origin ?? ''
    await until(async () => expect(await window.ask(`${origin}/api/info`)).toBe(200))
  })

  test('shows running jobs in the tray, and notifies when one ends that nobody looks at', async () => {
    const other = servedService()
    await other.start()
    const { desktop, up, trays, notes, settings, watch } = setup({ data: other.data })
    desktop.start()
    await up()
    await until(() => expect(trays.at(-1)?.tooltip).toBe('Drydock: no job is running'))
    await other.createEndpoint('hello')
    const jobId = await other.run('hello', { gates: [other.gate('a')] })
    await until(() => expect(trays.at(-1)?.tooltip).toBe('Drydock: 1 job is running'))
    other.openGate('a')
    await until(() => expect(trays.at(-1)?.tooltip).toBe('Drydock: no job is running'))
    await until(() =>
      expect(notes).toEqual([{ title: 'Job completed', body: `hello, ${jobId}`, page: `/jobs/${jobId}` }]),
    )
    desktop.act('notifications')
    expect(settings.read().notifications).toBe(false)
    expect(trays.at(-1)?.items).toContainEqual(expect.objectContaining({ action: 'notifications', on: false }))
    watch(true)
  })

  test('notifies when a deploy is done', async () => {
    const app = await appProject()
    const { desktop, up, notes } = setup({ data: app.service.data })
    desktop.start()
    await up()
    await app.deploy()
    await until(() =>
      expect(notes).toEqual([
        { title: 'Deploy done', body: 'Release 1 of demo/production', page: '/apps/deployed/demo/production' },
      ]),
    )
  })

  test('asks what to do where its service ends again and again before the window could open', async () => {
    const { folder } = place()
    const program = join(folder, 'broken.mjs')
    writeFileSync(program, 'throw new RangeError("no such version")')
    const { desktop, asked, told } = setup({ program })
    desktop.start()
    await until(() => expect(asked).toEqual(['The service ended 4 times. The last time: RangeError: no such version']))
    expect(told.at(-1)).toMatchObject({ kind: 'service-ended', crashes: 4, looping: true })
  })

  test('asks what to do where the service cannot start, and does it', async () => {
    const { data } = place()
    writeFileSync(data, 'no folder')
    const { desktop, asked, shown, told } = setup({ data })
    desktop.start()
    await until(() => expect(shown).toEqual(['quit']))
    expect(asked).toEqual([expect.stringContaining('cannot be used')])
    expect(told.map(({ kind }) => kind)).toEqual(['service-refused'])
  })

  test('signs its window in again where its session was ended', async () => {
    const { desktop, window, up } = setup()
    desktop.start()
    const origin = await up()
    desktop.signInAgain('/jobs')
    await until(() =>
      expect(window.visited.slice(-3)).toEqual([`${origin}/sign-in?code=...`, `${origin}/`, `${origin}/jobs`]),
    )
  })
})
