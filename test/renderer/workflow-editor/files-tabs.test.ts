// @vitest-environment node
import { expect, test } from 'vitest'
import { typesHere } from '../../../src-main/features/workflows/rules/node-types.ts'
import { widgetValues } from '../../../src-main/features/workflows/rules/widgets.ts'
import { renewNodeTypes } from '../../../src-renderer/features/workflow-editor/files/editor-files.ts'
import { addImageNode } from '../../../src-renderer/features/workflow-editor/files/use-file-actions.ts'
import { createAppStore } from '../../../src-renderer/store/app-store.ts'
import { anEndpoint, until } from '../support.tsx'
import { setup, textWith } from './files-support.ts'

type Window = Awaited<ReturnType<Awaited<ReturnType<typeof setup>>['openWindow']>>

const namesOf = ({ tabs }: Window) => tabs.state.getState().tabs.map(({ name }) => name)

test('tabs keep their order, are moved and closed, and are there again after a reload without being read', async () => {
  const { openWindow, service, workflow } = await setup()
  const window = await openWindow()
  const bridge = await service.post('/api/workflows', { name: 'Bridge', text: textWith('b') })
  const mill = await service.post('/api/workflows', { name: 'Mill', text: textWith('m') })
  await window.tabs.show(bridge.id)
  await window.tabs.show(mill.id)
  expect(namesOf(window)).toEqual(['Castle', 'Bridge', 'Mill'])
  window.tabs.move(mill.id, 0)
  window.tabs.move('gone00000000', 0)
  expect(namesOf(window)).toEqual(['Mill', 'Castle', 'Bridge'])
  await window.tabs.close(bridge.id)
  window.tabs.setName(mill.id, 'Old mill')
  await service.ask('PATCH', `/api/workflows/${mill.id}`, { body: { name: 'Old mill' } })
  const again = await openWindow(window.texts, window.platform)
  expect(namesOf(again)).toEqual(['Old mill', 'Castle'])
  expect(again.calls.filter((call) => call.includes(mill.id))).toEqual([])
  expect(again.tabs.state.getState().current).toBe(workflow.id)
  await service.ask('PATCH', `/api/workflows/${workflow.id}`, { body: { name: 'Keep' } })
  await service.ask('DELETE', `/api/workflows/${mill.id}`)
  const later = await openWindow(window.texts, window.platform)
  await until(() => expect(namesOf(later)).toEqual(['Keep']))
})

test('closing a tab keeps its last edit, and it opens with it again', async () => {
  const { openWindow, kept, workflow } = await setup()
  const window = await openWindow()
  window.edit('last')
  await window.tabs.close(workflow.id)
  expect((await kept()).text).toContain('last')
  await window.tabs.show(workflow.id)
  expect(window.title()).toBe('last')
})

test('a missing workflow says so in its tab, and opens once it exists', async () => {
  const { openWindow, service, workflow } = await setup()
  await service.ask('DELETE', `/api/workflows/${workflow.id}`)
  const window = await openWindow()
  expect(window.tabs.state.getState().tabs[0]?.problem).toContain('no workflow')
  await service.post(`/api/workflows/${workflow.id}/restore`)
  await window.tabs.retry(workflow.id)
  expect(window.title()).toBe('begun')
})

test('a document that is asked for twice at once is opened once', async () => {
  const { openWindow, service } = await setup()
  const window = await openWindow()
  const mill = await service.post('/api/workflows', { name: 'Mill', text: textWith('m') })
  await Promise.all([window.tabs.show(mill.id), window.tabs.show(mill.id)])
  expect(window.calls.filter((call) => call === `GET /api/workflows/${mill.id}`)).toHaveLength(1)
})

test('a tab that is looked at again shows what another window has kept, unless something is edited in it', async () => {
  const { openWindow } = await setup()
  const [one, other] = [await openWindow(), await openWindow()]
  other.edit('theirs')
  await other.rest()
  one.platform.show(false)
  one.platform.show(true)
  await until(() => expect(one.title()).toBe('theirs'))
  one.edit('mine')
  other.edit('theirs again')
  await other.rest()
  one.platform.show(true)
  await one.rest()
  expect([one.title(), one.status()]).toEqual(['mine', 'changed'])
})

test('another endpoint brings its classes of nodes', async () => {
  const { openWindow, service } = await setup()
  const window = await openWindow()
  await service.createEndpoint('e')
  await service.ask('PUT', '/api/node-types/e', { body: { text: '{"Own":{"input":{},"output":[]}}' } })
  const { editor, runs } = window.open().tab
  expect(editor.getState().types.has('KSampler')).toBe(true)
  runs.getState().set({ endpointId: 'e' })
  const classes = () => [...typesHere(editor.getState().types).keys()]
  await until(() => expect(classes()).toEqual(['Own']))
  runs.getState().set({ endpointId: 'gone' })
  await until(() => expect(window.said.join()).toContain('gone'))
  expect(classes()).toEqual(['Own'])
  expect(editor.getState().types.get('KSampler')?.isElsewhere).toBe(true)
})

test('a picture without a graph becomes a node that loads it, as one step of undo', async () => {
  const { openWindow, service } = await setup()
  const window = await openWindow()
  const { editor } = window.open().tab
  const pixels = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10])
  await addImageNode(window.client, window.open().tab, new File([pixels], 'my cat.png'), [40, 60])
  const node = editor.getState().document.nodes.items.at(-1)
  expect(node).toMatchObject({ type: 'LoadImage', pos: [40, 60] })
  const type = editor.getState().types.get('LoadImage')
  expect(node && widgetValues(node, type)?.get('image')).toBe('my cat.png')
  expect((await service.get('/api/assets?name=my%20cat.png')).assets).toMatchObject([{ bytes: 8 }])
  editor.getState().undo()
  expect(editor.getState().document.nodes.items).toHaveLength(1)
  editor.getState().setTypes(new Map())
  await expect(addImageNode(window.client, window.open().tab, new File([pixels], 'a.png'), [0, 0])).rejects.toThrow(
    'this endpoint has no node that loads it',
  )
})

test('a tab shows the classes of its endpoint as any page has had them read last', async () => {
  const { openWindow, service } = await setup()
  const window = await openWindow()
  const store = createAppStore(window.platform)
  renewNodeTypes({ store, types: window.types, tabs: window.tabs.state, notify: () => undefined })
  const { editor, runs } = window.open().tab
  const classes = () => [...typesHere(editor.getState().types).keys()]
  const take = (name: string) =>
    service.ask('PUT', '/api/node-types/e', { body: { text: `{"${name}": {"input": {}, "output": []}}` } })
  await service.createEndpoint('e', { workflows: {} })
  await take('Old')
  runs.getState().set({ endpointId: 'e' })
  await until(() => expect(classes()).toEqual(['Old']))
  await take('New')
  store.getState().noteNodeTypes('other')
  store.getState().noteNodeTypes('e')
  await until(() => expect(classes()).toEqual(['New']))
  // The service has read them by itself, and tells of it with the endpoint.
  const show = (nodeTypesReadAt: number) =>
    store.setState(({ live }) => ({ live: { ...live, endpoints: { e: anEndpoint('e', { nodeTypesReadAt }) } } }))
  show(1)
  await take('Newest')
  show(2)
  await until(() => expect(classes()).toEqual(['Newest']))
})
