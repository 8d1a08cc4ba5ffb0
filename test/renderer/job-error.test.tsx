import { act, fireEvent, screen, within } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { JobErrorNotice } from '../../src-renderer/ui/output/JobErrorNotice.tsx'
import { anEndpoint, renderInApp, until } from './support.tsx'

const ERROR = JSON.stringify({
  error_type: "<class 'find.NoFace'>",
  error_message: 'the picture has no face in it',
  error_traceback: `Traceback (most recent call last):
  File "/usr/lib/python3.12/site-packages/runpod/serverless/modules/rp_job.py", line 182, in run_job
    handler_return = handler(job)
  File "/home/ada/my faces/handler.py", line 12, in handler
    raise NoFace("the picture has no face in it")
find.NoFace: the picture has no face in it
`,
})

function show(endpoint = anEndpoint('faces', { handler: '/home/ada/my faces/handler.py' })) {
  const shown = renderInApp(<JobErrorNotice error={ERROR} endpointId="faces" />)
  act(() => shown.store.setState(({ live }) => ({ live: { ...live, endpoints: { faces: endpoint } } })))
  return shown
}

describe('the error of a job', () => {
  test('shows type and message once, with an open traceback and user code marked', () => {
    show()
    expect(screen.getByRole('alert').textContent?.split('NoFace: the picture has no face in it')).toHaveLength(2)
    const calls = within(screen.getByRole('list', { name: 'Traceback' })).getAllByRole('listitem')
    expect(calls.map((call) => call.textContent)).toEqual([
      'rp_job.py:182run_job/usr/lib/python3.12/site-packages/runpod/serverless/moduleshandler_return = handler(job)',
      'handler.py:12handler/home/ada/my facesyour coderaise NoFace("the picture has no face in it")',
    ])
  })

  test('names the time limit and the setting that raises it after a timeout', () => {
    renderInApp(<JobErrorNotice error="executionTimeout exceeded" endpointId="faces" />)
    expect(screen.getByRole('alert').textContent).toContain('Timed out: it ran longer than its execution timeout')
    const settings = screen.getByRole('link', { name: 'the settings of faces' })
    expect(settings.getAttribute('href')).toBe('/endpoints/faces/settings?section=limits&field=executionTimeoutMs')
  })

  test('at a node of a graph is reported in plain words, with the calls within its server folded', () => {
    const traceback = 'Traceback (most recent call last):\n  File "/comfyui/nodes.py", line 7, in load\n    open()\n'
    const place = { node: '3', title: 'Cat', class: 'LoadImage' }
    const error = JSON.stringify({ message: 'Job processing failed', ...place, reason: 'no picture', traceback })
    renderInApp(<JobErrorNotice error={error} endpointId="faces" />)
    screen.getByText('LoadImage "Cat" (3): no picture')
    const folded = screen.getByText('Traceback').closest('details')
    expect(folded?.open).toBe(false)
    expect(folded?.textContent).toContain('nodes.py:7')
  })

  test('opens source locations in the configured editor', async () => {
    const { store, platform } = show()
    store.getState().setEditor('vscode')
    const link = await screen.findByRole('link', { name: 'Open handler.py:12' })
    expect(link.getAttribute('href')).toBe('vscode://file/home/ada/my%20faces/handler.py:12')
    expect(platform.preferences.get('editor')).toBe('vscode')
  })

  test('copies source locations without an editor, and names the setting for it', async () => {
    const { store, platform } = show()
    fireEvent.click(screen.getByRole('button', { name: 'Copy handler.py:12' }))
    await until(() => expect(platform.copied).toEqual(['/home/ada/my faces/handler.py:12']))
    expect(store.getState().notices.map(({ text }) => text)).toEqual([
      'Copied /home/ada/my faces/handler.py:12. Choose an editor in Settings to open it there.',
    ])
  })

  test('of a container leads to the files next to its handler, and copies those of its image', async () => {
    const container = { volumes: [] } as never
    const { store } = renderInApp(
      <JobErrorNotice error={ERROR.replaceAll('/home/ada/my faces/', '/app/')} endpointId="faces" />,
    )
    store.getState().setEditor('cursor')
    const endpoint = anEndpoint('faces', { handler: '/home/ada/handler.py', container })
    act(() => store.setState(({ live }) => ({ live: { ...live, endpoints: { faces: endpoint } } })))
    const link = await screen.findByRole('link', { name: 'Open handler.py:12' })
    expect(link.getAttribute('href')).toBe('cursor://file/home/ada/handler.py:12')
    screen.getByRole('button', { name: 'Copy rp_job.py:182' })
  })

  test('without a traceback is its message', () => {
    renderInApp(<JobErrorNotice error="out of memory" endpointId="faces" />)
    expect(screen.getByRole('alert').textContent).toBe('out of memory')
  })
})
