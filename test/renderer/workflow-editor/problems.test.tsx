import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { catalogEntry } from '../../../src-main/contract/catalog.ts'
import { addNode } from '../../../src-main/features/workflows/rules/edit/add-node.ts'
import { removeNodes } from '../../../src-main/features/workflows/rules/edit/remove.ts'
import { setSlot } from '../../../src-main/features/workflows/rules/edit/widgets.ts'
import { ProblemMark } from '../../../src-renderer/features/workflow-editor/canvas/NodeBox.tsx'
import { ProblemsPanel } from '../../../src-renderer/features/workflow-editor/problems/ProblemsPanel.tsx'
import { useNodeProblems } from '../../../src-renderer/features/workflow-editor/problems/use-problems.ts'
import { PublishPanel } from '../../../src-renderer/features/workflow-editor/publish/PublishPanel.tsx'
import { SweepPanel } from '../../../src-renderer/features/workflow-editor/publish/SweepPanel.tsx'
import { RefusalNotice } from '../../../src-renderer/features/workflow-editor/run/RefusalNotice.tsx'
import { createRunActions } from '../../../src-renderer/features/workflow-editor/run/run-actions.ts'
import { anEndpoint, giveSizes, type TestAnswers } from '../support.tsx'
import { documentOf, renderInEditor } from './widgets-support.tsx'

const LOADER = '{"id":4,"type":"CheckpointLoaderSimple","widgets_values":["mine.safetensors"]}'
const LATENT = '{"id":5,"type":"EmptyLatentImage","widgets_values":[512,512,1]}'
const UNKNOWN = '{"id":6,"type":"NobodyKnows","widgets_values":[]}'
const SAVE =
  '{"id":9,"type":"SaveImage","widgets_values":["a"],"inputs":[{"name":"images","type":"IMAGE","link":null}]}'
// Longer than the panel waits for after the last change.
const PAUSE_MS = 2000

let takeSizes = () => {}
beforeEach(() => {
  takeSizes = giveSizes()
})
afterEach(() => takeSizes())

function Mark({ id }: { readonly id: string }) {
  return (
    <div>
      <p data-testid={`mark ${id}`}>{useNodeProblems(id).length}</p>
      <ProblemMark payloadId={id} />
    </div>
  )
}

async function renderProblems(
  text: string,
  { answers = {} as TestAnswers, models = undefined as string[] | undefined, more = undefined as ReactNode } = {},
) {
  const part = (
    <>
      <ProblemsPanel />
      <Mark id="6" />
      <Mark id="9" />
      <Mark id="57" />
      {more}
    </>
  )
  const rendered = renderInEditor(part, text, { answers: { nodePackages: { classes: [] }, ...answers } })
  const worker = anEndpoint('worker', {
    workflows: { checkModels: true, modelFolders: true, ...(models === undefined ? {} : { models }) },
  })
  const other = anEndpoint('other', {
    workflows: { checkModels: true, modelFolders: true, models: ['mine.safetensors'] },
  })
  const { store, runs, platform } = rendered
  await act(async () => {
    store.setState(({ live }) => ({ live: { ...live, endpoints: { worker, other } } }))
    runs.getState().set({ endpointId: 'worker' })
    await platform.advance(PAUSE_MS)
  })
  return rendered
}

const count = () => screen.getByRole('button', { name: /problem|error|warning/i, expanded: false }).textContent
const open = async () => {
  fireEvent.click(screen.getByRole('button', { name: /^(No problems|\d)/ }))
  return within(await screen.findByRole('dialog', { name: 'Problems' }))
}

test('the results of a form that names none are all ticked, and the last of them stays', async () => {
  const other = SAVE.replace('"id":9', '"id":10')
  await renderProblems(documentOf([SAVE, other]), { more: <PublishPanel name="Mine" onClose={() => {}} /> })
  const panel = within(await screen.findByRole('dialog', { name: 'Publish Mine' }))
  const boxes = () => panel.getAllByRole<HTMLInputElement>('checkbox')
  const shown = () => boxes().map(({ checked, disabled }) => [checked, disabled])
  expect(shown()).toEqual([
    [true, false],
    [true, false],
  ])
  panel.getByText('All results are returned.')
  fireEvent.click(boxes()[0] as HTMLElement)
  expect(shown()).toEqual([
    [false, false],
    [true, true],
  ])
  fireEvent.click(boxes()[0] as HTMLElement)
  panel.getByText('All results are returned.')
})

describe('a run that was refused', () => {
  test('is reported until its problems are fixed, and again when they are back', async () => {
    const { client, store, tab, editor, platform } = await renderProblems(documentOf([SAVE, LATENT]), {
      more: <RefusalNotice />,
    })
    await waitFor(() => expect(count()).toBe('1 error'))
    await act(() => createRunActions({ client, platform, app: store, tab, title: 'T' }).run())
    const notice = await screen.findByRole('alert')
    within(notice).getByRole('button', { name: /^Save Image 9: Input images \(IMAGE\) is missing\./ })
    act(() => editor.getState().edit('Delete', (document) => removeNodes(document, undefined, new Set(['9', '5']))))
    await act(() => platform.advance(PAUSE_MS))
    await waitFor(() => expect(count()).toBe('No problems'))
    expect(screen.queryByRole('alert')).toBeNull()
    act(() => editor.getState().undo())
    await act(() => platform.advance(PAUSE_MS))
    await screen.findByRole('alert')
  })
})

describe('the problems', () => {
  test('of a document are counted, and found again when it has changed', async () => {
    const { editor, platform } = await renderProblems(documentOf([SAVE, LATENT]))
    await waitFor(() => expect(count()).toBe('1 error'))
    const { types } = editor.getState()
    act(() =>
      editor
        .getState()
        .edit('Set', (document) =>
          setSlot(document, undefined, { node: '5', name: 'width', kind: 'input', value: { number: '1' }, types }),
        ),
    )
    await act(() => platform.advance(PAUSE_MS))
    await waitFor(() => expect(count()).toBe('1 error, 1 warning'))
    act(() => editor.getState().undo())
    await act(() => platform.advance(PAUSE_MS))
    await waitFor(() => expect(count()).toBe('1 error'))
  })

  test('are empty for a graph with no nodes or only notes', async () => {
    await renderProblems(documentOf(['{"id":1,"type":"Note","widgets_values":["a"]}']))
    await waitFor(() => expect(count()).toBe('No problems'))
    const list = await open()
    list.getByText(/No problems were found before running it/)
  })

  test('are shown at their nodes', async () => {
    await renderProblems(documentOf([SAVE]))
    await waitFor(() => expect(screen.getByTestId('mark 9').textContent).toBe('1'))
    expect(screen.getByTestId('mark 57').textContent).toBe('0')
  })

  test('lead to their node, also within a subgraph, and its host is marked too', async () => {
    const host = '{"id":57,"type":"inner-graph","inputs":[],"outputs":[],"widgets_values":[]}'
    const inner = `{"id":8,"type":"SaveImage","pos":[0,0],"size":[200,100],"flags":{},"order":0,"mode":0,"inputs":[{"name":"images","type":"IMAGE","link":null}],"outputs":[],"properties":{},"widgets_values":["a"]}`
    const subgraph = `{"id":"inner-graph","version":1,"state":{},"revision":0,"name":"Inner","inputNode":{"id":-10,"bounding":[0,0,1,1]},"outputNode":{"id":-20,"bounding":[0,0,1,1]},"inputs":[],"outputs":[],"widgets":[],"nodes":[${inner}],"groups":[],"links":[],"extra":{}}`
    const { editor } = await renderProblems(documentOf([host], `,"definitions":{"subgraphs":[${subgraph}]}`))
    await waitFor(() => expect(screen.getByTestId('mark 57').textContent).toBe('1'))
    const list = await open()
    fireEvent.click(list.getByRole('button', { name: /57:8/ }))
    expect([editor.getState().path, [...editor.getState().selection]]).toEqual([['57'], ['8']])
    screen.getByRole('dialog', { name: 'Problems' })
  })

  test('are moved between by keys', async () => {
    await renderProblems(documentOf([SAVE, UNKNOWN, LOADER]))
    const list = await open()
    const jumps = list.getAllByRole('button').filter((one) => 'jump' in one.dataset)
    expect(jumps.length).toBeGreaterThan(1)
    jumps[0]?.focus()
    fireEvent.keyDown(jumps[0] as HTMLElement, { key: 'ArrowDown' })
    expect(document.activeElement).toBe(jumps[1])
    fireEvent.keyDown(jumps[1] as HTMLElement, { key: 'k' })
    expect(document.activeElement).toBe(jumps[0])
  })

  test('are reached from the palette', async () => {
    const { store, editor } = await renderProblems(documentOf([SAVE, LATENT]))
    await waitFor(() => expect(count()).toBe('1 error'))
    const run = (id: string) =>
      act(() =>
        store
          .getState()
          .commands.find((one) => one.id === id)
          ?.run(),
      )
    run('workflow-next-problem')
    expect([...editor.getState().selection]).toEqual(['9'])
    run('workflow-problems')
    screen.getByRole('dialog', { name: 'Problems' })
  })
})

test('the error of the last run stands above them, and leads to its node', async () => {
  const { runs, editor } = await renderProblems(documentOf([SAVE, LATENT]))
  const list = await open()
  const progress = new Map([
    ['5', { state: 'failed', error: 'Out of memory.' }],
    ['9', { state: 'waiting' }],
  ] as const)
  act(() => runs.getState().set({ progress }))
  const failed = within(list.getByRole('region', { name: 'Failed in the last run' }))
  failed.getByText('Out of memory.')
  fireEvent.click(failed.getByRole('button', { name: 'Empty Latent Image 5' }))
  expect([...editor.getState().selection]).toEqual(['5'])
})

const entry = catalogEntry.parse({
  id: 'mine',
  name: 'Mine',
  summary: 's',
  handler: 'h.py',
  licence: 'l',
  env: [],
  settings: { workflows: { models: ['mine.safetensors'] } },
  example: {},
  missing: [],
})

describe('a model that the endpoint lacks', () => {
  const answers = { nodeTypes: { text: '{}', source: 'built-in' }, catalogList: { entries: [entry] } }

  test('is an error that names who has it, and chooses that one', async () => {
    const { runs, platform } = await renderProblems(documentOf([LOADER, SAVE]), {
      answers,
      models: ['base.safetensors'],
    })
    const list = await open()
    list.getByText(
      'Endpoint worker does not have the model mine.safetensors. Choose one that it has, or another endpoint.',
    )
    fireEvent.click(list.getByRole('button', { name: 'Where is it?' }))
    const link = await list.findByRole<HTMLAnchorElement>('link', { name: 'Mine' })
    expect(link.getAttribute('href')).toBe('/catalog?entry=mine')
    fireEvent.click(await list.findByRole('button', { name: 'Use other' }))
    expect(runs.getState().endpointId).toBe('other')
    await act(() => platform.advance(PAUSE_MS))
    await waitFor(() => expect(list.queryByText(/does not have the model/)).toBe(null))
  })
})

describe('an endpoint that takes no graphs', () => {
  const choose = async (
    rendered: Awaited<ReturnType<typeof renderProblems>>,
    more: Parameters<typeof anEndpoint>[1],
  ) => {
    const { store, platform } = rendered
    await act(async () => {
      store.setState(({ live }) => ({ live: { ...live, endpoints: { worker: anEndpoint('worker', more) } } }))
      await platform.advance(PAUSE_MS)
    })
  }

  test('is an error of the graph until its setting is enabled, which takes one click in the picker', async () => {
    const rendered = await renderProblems(documentOf([]))
    await choose(rendered, {})
    await waitFor(() => expect(count()).toBe('No problems')) // there is nothing to run yet
    const { types } = rendered.editor.getState()
    const type = types.get('EmptyLatentImage')
    if (type === undefined) throw new Error('no class')
    act(() =>
      rendered.editor
        .getState()
        .edit('Add', (document) => addNode(document, undefined, { type, pos: [0, 0] }).document),
    )
    await act(() => rendered.platform.advance(PAUSE_MS))
    const list = await open()
    list.getByText(/^Endpoint worker cannot run this graph: its workers are not known to run graphs/)
    await choose(rendered, { workflows: { checkModels: true, modelFolders: true } })
    await waitFor(() => expect(list.queryByText(/cannot run this graph/)).toBe(null))
  })

  test('that is the stand-in has only its own classes; an output that needs another is an error', async () => {
    const unknown =
      '{"id":6,"type":"NobodyKnows","widgets_values":[],"outputs":[{"name":"I","type":"IMAGE","links":[1]}]}'
    const save = SAVE.replace('"link":null', '"link":1')
    const text = documentOf([unknown, save]).replace('"links":[]', '"links":[[1,6,0,9,0,"IMAGE"]]')
    const rendered = await renderProblems(text)
    const list = await open()
    list.getByText(/Its worker may still have it/)
    await choose(rendered, { handler: '/x/resources/node/sketch/handler.ts' })
    await list.findByText(
      'Endpoint worker does not have the class NobodyKnows, so it cannot run the node. Choose another endpoint.',
    )
    expect(list.getByText('1 error')).toBeTruthy()
  })
})

describe('a class that the endpoint lacks', () => {
  const text = documentOf([UNKNOWN, SAVE])

  test('is a warning that names who has it', async () => {
    const nodeTypes = ({ query }: { readonly query: { readonly endpoint: string } }) => {
      const known = query.endpoint === 'other' ? '{"NobodyKnows":{"input":{},"output":[]}}' : '{}'
      return { text: known, source: 'server' }
    }
    const { runs } = await renderProblems(text, { answers: { nodeTypes, catalogList: { entries: [] } } })
    const list = await open()
    list.getByText(/^Endpoint worker does not have the class NobodyKnows/)
    fireEvent.click(list.getByRole('button', { name: 'Where is it?' }))
    fireEvent.click(await list.findByRole('button', { name: 'Use other' }))
    expect(runs.getState().endpointId).toBe('other')
  })

  test('and whose values the file does not name says in one warning that they are not sent', async () => {
    const nodeTypes = { text: '{}', source: 'built-in' }
    const given = documentOf([UNKNOWN.replace('[]', '[7]')])
    await renderProblems(given, { answers: { nodeTypes, catalogList: { entries: [] } } })
    const list = await open()
    list.getByText(
      'Endpoint worker does not have the class NobodyKnows, and the file does not name the values of the node: they are not sent. Choose an endpoint that has the class.',
    )
    expect(list.getAllByLabelText('Warning')).toHaveLength(1)
  })

  test('names its package by the index of the service, where there is one, also at its node', async () => {
    const properties = '"properties":{"cnr_id":"nobody-nodes","ver":"1.2.0"}'
    const given = documentOf([UNKNOWN, SAVE]).replace('"properties":{}', properties)
    let classes: readonly object[] = []
    const answers = { catalogList: { entries: [] }, nodePackages: () => ({ classes }) }
    const { editor, platform, calls } = await renderProblems(given, { answers })
    const list = await open()
    const words =
      'Endpoint worker does not have the class NobodyKnows. Its worker may still have it; otherwise choose another endpoint. It is in the package'
    list.getByText(`${words} nobody-nodes 1.2.0 (https://registry.comfy.org/nodes/nobody-nodes).`)
    classes = [{ name: 'NobodyKnows', packages: [{ name: 'Nobody', address: 'https://github.com/ann/nobody' }] }]
    // The index is a file that somebody puts there.
    const touch = (seed: string) =>
      act(async () => {
        const { types } = editor.getState()
        const place = { node: '9', name: 'filename_prefix', kind: 'input', value: seed, types } as const
        editor.getState().edit('Set', (document) => setSlot(document, undefined, place))
        await platform.advance(PAUSE_MS)
      })
    await touch('a')
    expect(calls.filter(({ operation }) => operation === 'nodePackages').map(({ args }) => args)).toEqual([
      { body: { classes: ['NobodyKnows'] } },
    ])
    await act(() => platform.advance(60_000))
    await touch('b')
    await act(() => platform.advance(PAUSE_MS))
    await list.findByText(`${words} Nobody (https://github.com/ann/nobody).`)
    expect(screen.getByTestId('mark 6').nextElementSibling?.getAttribute('title')).toContain(
      'It is in the package Nobody (https://github.com/ann/nobody).',
    )
    const link = list.getByRole<HTMLAnchorElement>('link', { name: 'Get Nobody at github.com/ann/nobody' })
    expect([link.href, link.target, link.rel]).toEqual([
      'https://github.com/ann/nobody',
      '_blank',
      'noopener noreferrer nofollow',
    ])
  })

  test('is named with its package where the graph is published, swept or run', async () => {
    const given = documentOf([UNKNOWN]).replace('"properties":{}', '"properties":{"aux_id":"ann/nobody"}')
    const { runs, store, tab, client, platform } = await renderProblems(given, {
      more: (
        <>
          <PublishPanel name="Mine" onClose={() => {}} />
          <SweepPanel name="Mine" onClose={() => {}} />
        </>
      ),
    })
    const where = 'It is in the package ann/nobody (https://github.com/ann/nobody).'
    const words = `Endpoint worker does not have the class NobodyKnows. Its worker may still have it; otherwise choose another endpoint. ${where}`
    const lists = await screen.findAllByRole('list', { name: 'Missing classes', hidden: true })
    expect(lists.map(({ textContent }) => textContent)).toEqual([words, words])
    const stand = anEndpoint('stand', { handler: '/x/resources/node/sketch/handler.ts' })
    act(() => store.setState(({ live }) => ({ live: { ...live, endpoints: { stand } } })))
    act(() => runs.getState().set({ endpointId: 'stand' }))
    await createRunActions({ client, platform, app: store, tab, title: 'T' }).run()
    expect(runs.getState().refusal?.problems.map(({ message }) => message)).toEqual([
      `Endpoint stand does not have the class NobodyKnows, so it cannot run the node. Choose another endpoint. ${where}`,
    ])
  })

  test('has the package of the file where there is no index, or one that cannot be read', async () => {
    const given = documentOf([UNKNOWN]).replace('"properties":{}', '"properties":{"aux_id":"ann/nobody"}')
    const nodePackages = { classes: [], fault: 'it is not JSON' }
    await renderProblems(given, { answers: { catalogList: { entries: [] }, nodePackages } })
    const list = await open()
    await list.findByText('node-packages.json in the data folder cannot be read: it is not JSON.')
    list.getByRole('link', { name: 'Get ann/nobody at github.com/ann/nobody' })
  })

  test('and that comes with a server leads to the entries that run one', async () => {
    const nodeTypes = ({ query }: { readonly query: { readonly endpoint?: string } }) => {
      const known = query.endpoint === undefined ? '{"NobodyKnows":{"input":{},"output":[]}}' : '{}'
      return { text: known, source: 'built-in' }
    }
    const server = { ...entry, id: 'bridge', name: 'Bridge', classes: 'comfyui' }
    const entries = [entry, server, { ...server, id: 'large', name: 'Large', model: 'A large one' }]
    await renderProblems(text, { answers: { nodeTypes, catalogList: { entries } } })
    const list = await open()
    fireEvent.click(list.getByRole('button', { name: 'Where is it?' }))
    const link = await list.findByRole<HTMLAnchorElement>('link', { name: 'Bridge' })
    expect(link.getAttribute('href')).toBe('/catalog?entry=bridge')
    expect([list.queryByText('Large'), list.queryByText('Mine')]).toEqual([null, null])
  })

  test('that no endpoint has links to the catalog', async () => {
    const nodeTypes = { text: '{}', source: 'built-in' }
    await renderProblems(text, { answers: { nodeTypes, catalogList: { entries: [] } } })
    const list = await open()
    fireEvent.click(list.getByRole('button', { name: 'Where is it?' }))
    const link = await list.findByRole('link', { name: 'catalog' })
    expect(link.getAttribute('href')).toBe('/catalog')
  })
})
