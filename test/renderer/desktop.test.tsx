import * as Tooltip from '@radix-ui/react-tooltip'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { DesktopBridge, DesktopNotice } from '../../src-main/contract/bridge.ts'
import { SignedOut } from '../../src-renderer/app/SignedOut.tsx'
import { showDesktopNotices } from '../../src-renderer/app/store-effects.ts'
import { desktopMessage, desktopOf } from '../../src-renderer/browser/platform.ts'
import { AppContext } from '../../src-renderer/store/app-context.ts'
import { createAppStore } from '../../src-renderer/store/app-store.ts'
import { ChoosePath } from '../../src-renderer/ui/form/PathField.tsx'
import { testClient, testPlatform } from './support.tsx'

describe('a notice of the desktop', () => {
  test.each<readonly [DesktopNotice, string, string]>([
    [
      { kind: 'service-ended', why: 'it was killed', restartInMs: 500, crashes: 1, looping: false },
      'error',
      'The service ended unexpectedly: it was killed. It restarts in a moment.',
    ],
    [
      { kind: 'service-ended', why: 'Error: no disk.', restartInMs: 4000, crashes: 4, looping: true },
      'error',
      'The service ended unexpectedly: Error: no disk. That was the 4th time within minutes; see the log file for details (Help, Show log). It restarts in 4 s.',
    ],
    [
      { kind: 'service-refused', why: 'The port is taken.' },
      'error',
      'The service could not start: The port is taken.',
    ],
    [{ kind: 'service-restarted' }, 'done', 'The service is running again.'],
    [
      { kind: 'link-refused', address: 'file:///etc/passwd' },
      'error',
      'file:///etc/passwd was not opened: only https links leave the window.',
    ],
    [
      { kind: 'update-ready', version: '2.0.0' },
      'done',
      'Version 2.0.0 is ready. It is installed when you quit Drydock.',
    ],
  ])('%j', (notice, kind, text) => {
    expect(desktopMessage(notice)).toEqual({ kind, text })
  })
})

test('that the service ended is reported until it is up again, and once at a time', () => {
  const listeners: ((notice: DesktopNotice) => void)[] = []
  const store = createAppStore(testPlatform())
  const onNotice = (listener: (notice: DesktopNotice) => void) => {
    listeners.push(listener)
    return () => undefined
  }
  showDesktopNotices({ onNotice } as DesktopBridge, store)
  const tell = (notice: DesktopNotice) => listeners[0]?.(notice)
  const shown = () => store.getState().notices.map(({ text }) => text.split(/[:.]/)[0])
  const ended = { kind: 'service-ended', why: 'x', restartInMs: 500, crashes: 1, looping: false } as const
  tell(ended)
  tell(ended)
  tell({ kind: 'update-ready', version: '2' })
  expect(shown()).toEqual(['The service ended unexpectedly', 'Version 2 is ready'])
  tell({ kind: 'service-restarted' })
  expect(shown()).toEqual(['Version 2 is ready', 'The service is running again'])
  showDesktopNotices(undefined, store)
})

/** Draws a component within a desktop whose calls are these. */
function renderInDesktop(component: ReactNode, calls: Partial<DesktopBridge> | undefined) {
  const never = () => Promise.reject(new Error('nobody asked for it'))
  const bridge = {
    pickFile: never,
    pickFolder: never,
    facts: never,
    revealFile: never,
    signIn: never,
    onNotice: () => () => undefined,
  }
  const platform = { ...testPlatform(), desktop: calls === undefined ? undefined : { ...bridge, ...calls } }
  const store = createAppStore(platform)
  onTestFinished(cleanup)
  render(
    <AppContext value={{ store, platform, client: testClient({}).client }}>
      <Tooltip.Provider>{component}</Tooltip.Provider>
    </AppContext>,
  )
  return { store }
}

describe('a window that is signed out', () => {
  const press = () => fireEvent.click(screen.getByRole('button', { name: 'Sign in again' }))

  test('asks the desktop to sign it in, and says why it was not', async () => {
    const answers = [async () => true, async () => false, () => Promise.reject(new Error('no link'))]
    renderInDesktop(<SignedOut />, { signIn: () => answers.shift()?.() ?? Promise.resolve(true) })
    press()
    await waitFor(() => expect(answers).toHaveLength(2))
    expect(screen.getByRole('alert').textContent).toBe('')
    press()
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('The service is not running'))
    press()
    await waitFor(() => expect(screen.getByRole('alert').textContent).toBe('no link'))
  })

  test('of a browser says which command signs it in', () => {
    renderInDesktop(<SignedOut />, undefined)
    expect(screen.getByText('drydock open')).toBeDefined()
    expect(screen.queryByRole('button', { name: 'Sign in again' })).toBeNull()
  })
})

describe('the button that chooses a path', () => {
  function setup(pickFolder?: DesktopBridge['pickFolder'], from = '/home/ada') {
    const paths: string[] = []
    const button = (
      <ChoosePath wants="folder" title="Choose the folder of an app" from={from} onPath={(path) => paths.push(path)} />
    )
    return { paths, ...renderInDesktop(button, pickFolder === undefined ? undefined : { pickFolder }) }
  }
  const press = () => fireEvent.click(screen.getByRole('button', { name: 'Choose…' }))

  test('is not there in a browser', () => {
    setup()
    expect(screen.queryByRole('button')).toBeNull()
    expect(desktopOf(window)).toBeUndefined()
  })

  test('gives the folder that was chosen, beginning where the field is', async () => {
    const asked: unknown[] = []
    const { paths } = setup(async (argument) => {
      asked.push(argument)
      return '/home/ada/app'
    })
    press()
    await waitFor(() => expect(paths).toEqual(['/home/ada/app']))
    expect(asked).toEqual([{ title: 'Choose the folder of an app', from: '/home/ada' }])
  })

  test('gives the file that was chosen, where a handler is wanted', async () => {
    const paths: string[] = []
    const pickFile = async () => '/home/ada/handler.py'
    const button = <ChoosePath wants="handler" title="Choose a file" from="" onPath={(path) => paths.push(path)} />
    renderInDesktop(button, { pickFile })
    press()
    await waitFor(() => expect(paths).toEqual(['/home/ada/handler.py']))
  })

  test('leaves the field as it is where none was chosen, and tells of a dialog that failed', async () => {
    const answers = [async () => undefined, () => Promise.reject(new Error('no dialog'))]
    const { paths, store } = setup(() => answers.shift()?.() ?? Promise.resolve(undefined), '')
    press()
    press()
    await waitFor(() =>
      expect(store.getState().notices).toMatchObject([{ kind: 'error', text: 'No folder could be chosen: no dialog' }]),
    )
    expect(paths).toEqual([])
  })
})
