/** A ComfyUI that was found: where it is offered, what one click makes of it, and what the settings say of it. */
import { act, fireEvent, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import type { LiveEndpoint } from '../../src-main/contract/live.ts'
import { settingText } from '../../src-main/features/endpoints/rules/settings/setting.ts'
import { ServerState } from '../../src-renderer/features/catalog/CatalogPages.tsx'
import { NodeTypesRow } from '../../src-renderer/features/endpoints/settings/NodeTypesRow.tsx'
import { ServerOffer, unusedServers } from '../../src-renderer/features/workflow-editor/run/ServerOffer.tsx'
import { ServerField } from '../../src-renderer/ui/form/ServerField.tsx'
import { anEndpoint, NOW, renderInApp, type TestAnswers, until } from './support.tsx'

const SERVER = { address: 'http://127.0.0.1:8188', version: '0.3.64', devices: [{ name: 'cpu', type: 'cpu' }] }
const OTHER = { address: 'http://127.0.0.1:8000', devices: [] }
const BRIDGE = { id: 'comfyui-bridge', settings: { handler: '/b.ts', workflows: { server: 'http://127.0.0.1:8188' } } }
const ANSWERS = {
  workflowServers: { servers: [SERVER] },
  catalogList: { entries: [{ id: 'hello', settings: { handler: '/h.py' } }, BRIDGE] },
  endpointCreate: ({ body }: { body: { id: string } }) => ({ id: body.id, key: 'dk_x' }),
  nodeTypesFetch: { text: '{}', source: 'server', readAt: NOW, server: SERVER.address },
}

const withWorkflows = (id: string, server?: string, more: Partial<LiveEndpoint> = {}) =>
  anEndpoint(id, {
    workflows: { checkModels: true, modelFolders: true, ...(server === undefined ? {} : { server }) },
    ...more,
  })

function offer(endpoints: readonly LiveEndpoint[], answers: TestAnswers = {}) {
  const made: string[] = []
  const view = renderInApp(<ServerOffer onMade={(id) => made.push(id)} />, { ...ANSWERS, ...answers })
  const show = (all: readonly LiveEndpoint[]) =>
    act(() =>
      view.store.getState().beginWith({ eventId: 1, at: NOW, endpoints: [...all], workers: [], command: 'drydock' }),
    )
  show(endpoints)
  const calls = () => view.calls.map(({ operation }) => operation)
  return { ...view, made, show, operations: calls }
}

test('servers are free that no endpoint has, by whichever address, nor a bridge that goes to the usual places', () => {
  const free = (...endpoints: readonly LiveEndpoint[]) =>
    unusedServers([SERVER, OTHER], Object.fromEntries(endpoints.map((one) => [one.id, one]))).map((one) => one.address)
  expect(free(anEndpoint('a'), withWorkflows('b'))).toEqual([SERVER.address, OTHER.address])
  expect(free(withWorkflows('a', 'http://ann:pw@localhost:8188/'))).toEqual([OTHER.address])
  expect(free(withWorkflows('a', undefined, { handler: '/x/resources/node/comfyui/handler.ts' }))).toEqual([])
})

test('one click makes a found server an endpoint by the catalog, reads its classes, and chooses it once it is there', async () => {
  const { made, show, calls, store, platform } = offer([withWorkflows('comfyui', 'http://far:8188')])
  fireEvent.click(await screen.findByRole('button', { name: 'Create an endpoint' }))
  fireEvent.click(await screen.findByRole('button', { name: 'Creating the endpoint' }))
  await until(() => expect(store.getState().notices.map(({ text }) => text)).toHaveLength(1))
  expect(calls.find(({ operation }) => operation === 'endpointCreate')?.args).toEqual({
    body: { ...BRIDGE.settings, workflows: { server: SERVER.address }, id: 'comfyui-2', name: 'comfyui-2' },
  })
  expect(store.getState().notices[0]).toMatchObject({ kind: 'done', text: expect.stringContaining('127.0.0.1:8188') })
  expect(store.getState().nodeTypesRead).toEqual({ 'comfyui-2': 1 })
  expect(calls.filter(({ operation }) => operation === 'endpointCreate')).toHaveLength(1)
  expect([made, platform.preferences.get('workflow-endpoint')]).toEqual([[], 'comfyui-2'])
  show([withWorkflows('comfyui-2', SERVER.address)])
  await until(() => expect(made).toEqual(['comfyui-2']))
  expect(screen.queryByText(/A ComfyUI answers/)).toBeNull()
})

test('classes that cannot be read leave the endpoint, which is not chosen, and say where to read them; a refusal leaves the offer', async () => {
  const failing = (message: string) => () => Promise.reject(new Error(message))
  const unread = offer([], { nodeTypesFetch: failing('They could not be read.') })
  fireEvent.click(await screen.findByRole('button', { name: 'Create an endpoint' }))
  await until(() =>
    expect(unread.store.getState().notices[0]).toMatchObject({
      kind: 'error',
      text: expect.stringMatching(/settings/),
    }),
  )
  unread.show([withWorkflows('comfyui', SERVER.address)])
  await until(() => expect(screen.queryByText(/A ComfyUI answers/)).toBeNull())
  expect([unread.made, unread.platform.preferences.get('workflow-endpoint')]).toEqual([[], undefined])
  unread.unmount()
  offer([], { endpointCreate: failing('There are too many.') })
  fireEvent.click(await screen.findByRole('button', { name: 'Create an endpoint' }))
  expect((await screen.findByRole('alert')).textContent).toContain('There are too many.')
  screen.getByRole('button', { name: 'Create an endpoint' })
})

test('an offer that is not wanted is gone for good, and none is made before the endpoints are known', async () => {
  const { platform, operations } = offer([])
  fireEvent.click(await screen.findByRole('button', { name: 'Do not offer this again' }))
  expect(screen.queryByText(/A ComfyUI answers/)).toBeNull()
  expect(platform.preferences.get('workflow-servers-not-wanted')).toBe(SERVER.address)
  expect(operations()).toEqual(['workflowServers'])
})

test('servers are looked for again when somebody comes back to the window, and not at once', async () => {
  const now = vi.spyOn(Date, 'now').mockReturnValue(NOW)
  try {
    const { operations } = renderIt()
    await screen.findByText('A ComfyUI answers at 127.0.0.1:8188')
    await act(async () => void dispatchEvent(new Event('focus')))
    expect(operations()).toHaveLength(1)
    now.mockReturnValue(NOW + 10_001)
    await act(async () => void dispatchEvent(new Event('focus')))
    expect(operations()).toHaveLength(2)
  } finally {
    now.mockRestore()
  }
})

function renderIt(answers: TestAnswers = {}) {
  const view = renderInApp(<ServerState />, { ...ANSWERS, ...answers })
  return { ...view, operations: () => view.calls.map(({ operation }) => operation) }
}

test('the card of the bridge says that none answers, and what to do', async () => {
  renderIt({ workflowServers: { servers: [] } })
  screen.getByText('Looking for a ComfyUI')
  await screen.findByText('No ComfyUI answers here')
  screen.getByText('Start it at 127.0.0.1:8188 or 127.0.0.1:8000, or give its address.')
})

test('the field of a server offers those that answer, and shows a password to who edits it alone', async () => {
  const typed: string[] = []
  renderInApp(
    <ServerField aria-label="Server" value="http://ann:secret@far:1" onChange={(one) => typed.push(one)} />,
    ANSWERS,
  )
  const field = screen.getByLabelText<HTMLInputElement>('Server')
  expect(field.value).toBe('http://ann:***@far:1')
  fireEvent.focus(field)
  expect(field.value).toBe('http://ann:secret@far:1')
  fireEvent.click(await screen.findByRole('button', { name: /Use it/ }))
  expect(typed).toEqual([SERVER.address])
  expect(settingText({ input: { kind: 'server', optional: true } }, 'http://ann:secret@far:1')).toBe(
    'http://ann:***@far:1',
  )
})

test('the settings say where the classes come from, and read them from the server', async () => {
  const before = { text: '{}', source: 'server', readAt: NOW - 60_000, server: 'http://old:1' }
  const { store } = renderInApp(<NodeTypesRow endpoint={withWorkflows('e', SERVER.address)} />, {
    ...ANSWERS,
    nodeTypes: before,
    nodeTypesFetch: { ...ANSWERS.nodeTypesFetch, version: 'ComfyUI 0.33.0' },
  })
  await screen.findByText(/from old:1, which is a different server/)
  fireEvent.click(screen.getByRole('button', { name: 'Read its classes' }))
  const read = await screen.findByText('just now')
  expect(read.parentElement?.textContent).toBe('Read just now, those of ComfyUI 0.33.0.')
  expect(store.getState().nodeTypesRead).toEqual({ e: 1 })
})

test('the settings say why the classes could not be read from the server the last time', async () => {
  const nodeTypes = {
    text: '{}',
    source: 'built-in',
    fault: 'its list of node classes has 33 MiB; the limit is 32 MiB',
  }
  renderInApp(<NodeTypesRow endpoint={withWorkflows('e', SERVER.address)} />, { ...ANSWERS, nodeTypes })
  await screen.findByText('The last read failed: its list of node classes has 33 MiB; the limit is 32 MiB.')
})

test.each([
  [
    'image worker',
    { handler: undefined, container: { image: 'ann/worker-comfyui:5' } },
    'Using those that come with Drydock, of ComfyUI 0.33.0.',
  ],
  ['worker that comes along', { handler: '/x/resources/node/sketch/handler.ts' }, 'From its worker.'],
  [
    'worker that takes workflows by its settings',
    { workflows: { checkModels: true, modelFolders: true } },
    'Using those that come with Drydock, of ComfyUI 0.33.0.',
  ],
])(
  'the settings of an %s say which classes it is checked with, and have nothing to read',
  async (_what, more, words) => {
    const classes = { Mask: { input: {}, python_module: 'nodes' } }
    const nodeTypes = { text: JSON.stringify(classes), source: 'built-in', version: 'ComfyUI 0.33.0' }
    renderInApp(<NodeTypesRow endpoint={anEndpoint('e', more as Partial<LiveEndpoint>)} />, { ...ANSWERS, nodeTypes })
    await screen.findByText(words)
    screen.getByText('Packages')
    expect(screen.queryByRole('button')).toBeNull()
  },
)

test('the settings of an endpoint that runs no graphs say nothing of classes', () => {
  const { container } = renderInApp(<NodeTypesRow endpoint={anEndpoint('e')} />, ANSWERS)
  expect(container.textContent).toBe('')
})

test('the settings list the packages of the server, custom ones with their classes', async () => {
  const classes = {
    Ink: { input: {}, python_module: 'custom_nodes.ink-nodes' },
    Brush: { input: {}, python_module: 'custom_nodes.ink-nodes' },
    Mask: { input: {}, python_module: 'nodes' },
  }
  const nodeTypes = { text: JSON.stringify(classes), source: 'server', readAt: NOW, server: SERVER.address }
  renderInApp(<NodeTypesRow endpoint={withWorkflows('e', SERVER.address)} />, { ...ANSWERS, nodeTypes })
  const summary = await screen.findByText('Packages')
  expect(screen.queryByText(/ink-nodes/)).toBeNull()
  const details = summary.closest('details')
  if (details === null) throw new Error('it cannot be opened')
  details.open = true
  fireEvent(details, new Event('toggle'))
  await screen.findByText('ink-nodes: 2 classes')
  screen.getByText('Brush, Ink')
  screen.getByText('ComfyUI: 1 class')
})
