import { act, fireEvent, screen } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import type { CodeChange } from '../../src-main/contract/endpoint.ts'
import type { PackageInstall } from '../../src-main/contract/packages.ts'
import { endpointColumns } from '../../src-renderer/features/endpoints/EndpointColumns.tsx'
import { CodeChangeNote } from '../../src-renderer/features/endpoints/EndpointHead.tsx'
import { JobErrorNotice } from '../../src-renderer/ui/output/JobErrorNotice.tsx'
import { anEndpoint, NOW, renderInApp, until } from './support.tsx'

const CHANGE: CodeChange = { files: ['handler.py'], at: NOW - 4000, state: 'live', tookMs: 420 }
const FAILED: CodeChange = { ...CHANGE, state: 'failed', why: "ModuleNotFoundError: No module named 'torch'" }
const ENDPOINT = anEndpoint('e', { handler: '/home/ada/handler.py' })
const INSTALL: PackageInstall = { packages: ['torch'], environment: '/home/ada/.venv', state: 'running' }

describe('a change of the code', () => {
  test('is reported in the header with what came of it, and the time continues', async () => {
    const { platform } = renderInApp(<CodeChangeNote change={CHANGE} endpointId="e" />)
    screen.getByText('handler.py changed 4 s ago: live after 420 ms')
    await act(() => platform.advance(2000))
    screen.getByText('handler.py changed 6 s ago: live after 420 ms')
  })

  test('that does not start says why, and offers to install what is missing', () => {
    const { store } = renderInApp(<CodeChangeNote change={FAILED} endpointId="e" />)
    act(() => store.setState(({ live }) => ({ live: { ...live, endpoints: { e: ENDPOINT } } })))
    screen.getByText(/the new code does not start, the previous code continues to serve: ModuleNotFoundError/)
    screen.getByRole('button', { name: 'Install torch' })
  })

  test.each([
    ['lately', CHANGE, 'handler.py changed 4 s ago: live after 420 ms'],
    ['long ago', { ...CHANGE, at: NOW - 400_000 }, undefined],
    [
      'long ago, without effect',
      { ...FAILED, at: NOW - 400_000 },
      /^handler.py changed 6 min ago: the new code does not/,
    ],
  ])('is in the list if it came %s', (_when, codeChange, text) => {
    const column = endpointColumns(false).find(({ id }) => id === 'state')
    renderInApp(column?.cell({ endpoint: { ...ENDPOINT, codeChange }, workers: [], stats: undefined }))
    if (text === undefined) expect(screen.queryByRole('img')).toBeNull()
    else screen.getByRole('img', { name: text })
  })
})

describe('a package that is missing', () => {
  const error = JSON.stringify({
    error_type: "<class 'ModuleNotFoundError'>",
    error_message: "No module named 'torch'",
  })

  test('is installed from the error of a job, with how it goes', async () => {
    const states: PackageInstall[] = [INSTALL, { ...INSTALL, state: 'done' }]
    const answer = () => ({ ...ENDPOINT, install: states.shift() })
    const { store, platform, calls } = renderInApp(<JobErrorNotice error={error} endpointId="e" />, {
      endpointInstall: answer,
      endpointRead: answer,
    })
    act(() => store.setState(({ live }) => ({ live: { ...live, endpoints: { e: ENDPOINT } } })))
    fireEvent.click(screen.getByRole('button', { name: 'Install torch' }))
    const running = await screen.findByRole('button', { name: 'Installing torch' })
    expect(running.hasAttribute('disabled')).toBe(true)
    await act(() => platform.advance(500))
    await until(() => expect(store.getState().notices[0]?.text).toBe('torch is installed in /home/ada/.venv.'))
    expect(calls[0]).toMatchObject({ operation: 'endpointInstall', args: { body: { packages: ['torch'] } } })
  })

  test('of an image is not offered', () => {
    const { store } = renderInApp(<JobErrorNotice error={error} endpointId="e" />)
    const endpoint = { ...ENDPOINT, container: { image: 'a', volumes: [] } as never }
    act(() => store.setState(({ live }) => ({ live: { ...live, endpoints: { e: endpoint } } })))
    expect(screen.queryByRole('button', { name: /Install/ })).toBeNull()
  })
})
