import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src-main/cli/client.ts'
import { signal } from '../support/process-table.ts'
import { started } from './main-process.ts'
import { until } from './support.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const GATED_HANDLER = join(ROOT, 'test', 'support', 'workers', 'gated.py')

describe('the built main process', () => {
  test('keeps the window within the service, and opens what is outside in the browser', async () => {
    const { reached, play, all } = started()
    const origin = new URL((await reached('loaded')).address).origin
    const inside = [`${origin}/jobs`, `${origin}/`]
    const outside = ['https://example.com/', 'http://127.0.0.1:1/', 'file:///etc/passwd', 'javascript:alert(1)', 'x']
    const prevented = []
    for (const url of [...inside, ...outside]) prevented.push(await play('navigate', { url }))
    expect(prevented).toEqual([false, false, true, true, true, true, true])
    expect(await play('navigate', { url: 'https://example.com/', event: 'will-redirect' })).toBe(true)
    expect(await play('open', { url: 'https://example.com/a' })).toEqual({ action: 'deny' })
    expect(await play('open', { url: 'http://127.0.0.1:1/sign-in?code=x' })).toEqual({ action: 'deny' })
    expect(await play('open', { url: 'file:///etc/passwd' })).toEqual({ action: 'deny' })
    expect(await play('webview')).toBe(true)
    // No program of the system takes it, which is told and ends nothing.
    expect(await play('open', { url: 'mailto:a@example.com' })).toEqual({ action: 'deny' })
    expect(all('openExternal').map(({ address }) => address)).toEqual([
      ...['https://example.com/', 'https://example.com/a', 'http://127.0.0.1:1/sign-in?code=x', 'mailto:a@example.com'],
    ])
    expect(all('notice').map(({ message }) => message.address)).toEqual([
      ...['http://127.0.0.1:1/', 'file:///etc/passwd', 'javascript:alert(1)', 'x', 'file:///etc/passwd'],
      'mailto:a@example.com',
    ])
  })

  test('allows its own pages the clipboard and notifications, and nothing else to anybody', async () => {
    const { reached, play } = started()
    const origin = new URL((await reached('loaded')).address).origin
    const ask = (permission: string, from: string) => play('permission', { permission, from })
    const yes = { request: true, check: true, device: false }
    const no = { request: false, check: false, device: false }
    expect(await ask('clipboard-sanitized-write', `${origin}/jobs`)).toEqual(yes)
    expect(await ask('notifications', origin)).toEqual(yes)
    for (const permission of ['clipboard-read', 'media', 'geolocation', 'openExternal', 'usb', 'fileSystem'])
      expect(await ask(permission, origin)).toEqual(no)
    expect(await ask('notifications', 'https://example.com')).toEqual(no)
  })

  test('answers the calls of the contract to its own pages alone', async () => {
    const { reached, play, all, data } = started()
    await reached('loaded')
    expect(await play('channels')).toEqual([
      ...['drydock:facts', 'drydock:pickFile', 'drydock:pickFolder', 'drydock:revealFile', 'drydock:signIn'],
    ])
    expect(await play('call', { channel: 'drydock:facts' })).toEqual({
      version: JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version,
      platform: process.platform,
    })
    const pick = { channel: 'drydock:pickFolder', argument: { title: 'Choose a folder' } }
    expect(await play('call', pick)).toBe('/picked')
    expect(all('pick')).toEqual([
      { what: 'pick', options: { title: 'Choose a folder', properties: ['openDirectory', 'createDirectory'] } },
    ])
    await expect(play('call', { ...pick, from: 'https://example.com/' })).rejects.toThrow('was refused')
    await expect(play('call', { ...pick, isFrame: true })).rejects.toThrow('was refused')
    await expect(play('call', { ...pick, argument: { title: 1 } })).rejects.toThrow('was refused')
    const reveal = (path: string) => play('call', { channel: 'drydock:revealFile', argument: { path } })
    expect(await reveal(join(data, 'account.key'))).toBe(true)
    expect(await reveal('/no/such/file')).toBe(false)
    expect(all('pick')).toHaveLength(1)
  })

  test('starts a service that was killed again, with a notice', async () => {
    const { reached, all, data } = started()
    await reached('loaded')
    signal(JSON.parse(readFileSync(join(data, 'service.json'), 'utf8')).pid, 'SIGKILL')
    expect((await reached('notice')).message).toMatchObject({ kind: 'service-ended', crashes: 1, looping: false })
    expect((await reached('notice', 2)).message).toEqual({ kind: 'service-restarted' })
    expect(all('loaded')).toHaveLength(1)
  })

  test('signs its window in when a page asks for it, also after the account key was changed', async () => {
    const { reached, play, data } = started()
    const url = new URL((await reached('loaded')).address).origin
    const client = createClient({ url, key: readFileSync(join(data, 'account.key'), 'utf8').trim() })
    await client.call('keyRotate')
    expect(await play('call', { channel: 'drydock:signIn' })).toBe(true)
    expect(await reached('loaded', 2)).toMatchObject({ address: `${url}/`, signedIn: true })
  })

  test('loads a page again that could not be loaded, and not the link that signed the window in', async () => {
    const { reached, play, all } = started()
    const origin = new URL((await reached('loaded')).address).origin
    await play('failLoad', { url: `${origin}/jobs?state=FAILED` })
    expect((await reached('loaded', 3)).address).toBe(`${origin}/jobs?state=FAILED`)
    await play('failLoad', { url: `${origin}/sign-in?code=x` })
    expect((await reached('loaded', 4)).address).toBe(`${origin}/`)
    expect(all('loaded').every(({ signedIn }) => signedIn)).toBe(true)
  })

  test('opens links of its start, of a second start, and of the system', async () => {
    const { reached, play } = started({ argv: ['drydock://jobs/a'] })
    expect((await reached('loaded', 2)).address).toMatch(/\/jobs\/a$/)
    await play('secondInstance', { argv: ['--flag', 'drydock://endpoints/hello'] })
    expect((await reached('loaded', 3)).address).toMatch(/\/endpoints\/hello$/)
    await play('openUrl', { url: 'drydock://workers' })
    expect((await reached('loaded', 4)).address).toMatch(/\/workers$/)
    await play('secondInstance', { argv: ['drydock://../evil'] })
    expect((await reached('shown', 4)).what).toBe('shown')
  })

  test('is not started twice: a second one ends at once', async () => {
    const { ended, all } = started({ env: { FAKE_SECOND_INSTANCE: '1' } })
    expect(await ended).toBe(0)
    expect(all('window')).toEqual([])
  })

  test('stays in the tray when its window is closed, or ends, as it is set; the window comes back where it was', async () => {
    const { reached, all, play, ended, data } = started()
    await reached('loaded')
    await play('close')
    await reached('hidden')
    expect(await reached('notification')).toMatchObject({ title: 'Drydock keeps running' })
    await play('tray', { label: 'Open Drydock' })
    await reached('shown', 2)
    await play('close')
    await reached('hidden', 2)
    expect(all('notification')).toHaveLength(1)
    await play('tray', { label: 'Keep running when the window is closed' })
    expect(JSON.parse(readFileSync(join(data, 'desktop', 'settings.json'), 'utf8'))).toEqual({
      notifications: true,
      keepInTray: false,
      toldOfTray: true,
      window: { bounds: { x: 10, y: 20, width: 1000, height: 700 }, maximised: false },
    })
    void play('close').catch(() => undefined)
    expect(await ended).toBe(0)
  })

  test('takes its service along when it is killed', async () => {
    const { reached, child, marked } = started()
    await reached('loaded')
    child.kill('SIGKILL')
    await until(() => expect(marked()).toEqual([]))
  })

  test('stops its service in order when a signal ends it, with the worker of a running job', async () => {
    const { reached, child, ended, marked, data } = started()
    const url = new URL((await reached('loaded')).address).origin
    const client = createClient({ url, key: readFileSync(join(data, 'account.key'), 'utf8').trim() })
    const body = { id: 'slow', name: 'slow', handler: GATED_HANDLER }
    await client.call('endpointCreate', { body })
    await client.call('run', { path: { endpointId: 'slow' }, body: { input: { gates: [join(data, 'never')] } } })
    await until(async () =>
      expect((await client.call('liveRead')).endpoints).toContainEqual(expect.objectContaining({ inProgress: 1 })),
    )
    expect(marked().some(({ workerId }) => workerId !== undefined)).toBe(true)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(marked()).toEqual([])
    expect(readFileSync(join(data, 'drydock.log'), 'utf8')).toContain('service stops')
  })
})
