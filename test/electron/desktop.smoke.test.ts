import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { WEB_PREFERENCES } from '../../src-main/electron/page-guard.ts'
import { started } from './main-process.ts'

test('the desktop opens one guarded window on the signed-in pages, and leaves nothing behind when it ends', async () => {
  const { data, all, reached, play, ended, marked } = started()
  const { options } = await reached('window')
  const { preload, ...preferences } = options.webPreferences
  expect(preferences).toEqual(WEB_PREFERENCES)
  expect(preferences).toMatchObject({ sandbox: true, contextIsolation: true, nodeIntegration: false })
  expect({ show: options.show, preload: existsSync(preload), icon: existsSync(options.icon) }).toEqual({
    show: false,
    preload: true,
    icon: true,
  })
  expect(all('sandboxed')).toHaveLength(1)
  expect(all('path')[0]).toMatchObject({ name: 'userData', path: join(data, 'desktop') })
  expect(await reached('loaded')).toMatchObject({ type: 'text/html; charset=utf-8', signedIn: true })
  await reached('shown')
  expect(all('window')).toHaveLength(1)
  expect(JSON.stringify(all('loaded'))).not.toContain(readFileSync(join(data, 'account.key'), 'utf8').trim())

  void play('quit').catch(() => undefined)
  expect(await ended).toBe(0)
  expect(all('quit').map(({ prevented }) => prevented)).toEqual([true, false])
  expect(marked()).toEqual([])
  expect(existsSync(join(data, 'service.json'))).toBe(false)
})
