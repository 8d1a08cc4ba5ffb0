import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { toPayload } from '../../../src-main/features/workflows/rules/to-payload/to-payload.ts'
import { validate } from '../../../src-main/features/workflows/rules/validate.ts'
import { AddNodeList } from '../../../src-renderer/features/workflow-editor/palette/NodeLists.tsx'
import { NodePalette } from '../../../src-renderer/features/workflow-editor/palette/NodePalette.tsx'
import { CanvasContext, createCanvasStore } from '../../../src-renderer/features/workflow-editor/store/canvas-store.ts'
import { BLUEPRINT } from '../../support/blueprint.ts'
import { anEndpoint, testPlatform } from '../support.tsx'
import { documentOf, renderInEditor, typesWith } from './widgets-support.tsx'

const SERVED = { checkModels: true, modelFolders: true, server: 'http://127.0.0.1:8188' }

function renderLists(text: string) {
  const canvas = createCanvasStore(testPlatform())
  const overlay = { kind: 'add', at: { x: 10, y: 20 }, screen: { x: 0, y: 0 } } as const
  const rendered = renderInEditor(
    <CanvasContext value={canvas}>
      <NodePalette />
      <AddNodeList overlay={overlay} onClose={() => undefined} />
    </CanvasContext>,
    documentOf([]),
    {
      answers: {
        blueprintList: { blueprints: [{ id: 'b1', name: 'Plain picture', package: 'a-pack' }] },
        blueprintRead: { text },
      },
    },
  )
  const choose = () =>
    act(async () => {
      const endpoints = { e: anEndpoint('e', { workflows: SERVED }) }
      rendered.store.setState(({ live }) => ({ live: { ...live, loaded: true, endpoints } }))
      rendered.runs.getState().set({ endpointId: 'e' })
    })
  return { ...rendered, canvas, choose }
}

const typed = () => {
  const field = screen.getByRole('combobox', { name: 'Add a node' })
  fireEvent.change(field, { target: { value: 'plain picture' } })
}

test("blueprints of the endpoint's server are added with their definition, in one step that can be undone", async () => {
  const { editor, calls, choose, written } = renderLists(JSON.stringify(BLUEPRINT))
  expect(calls.map(({ operation }) => operation)).not.toContain('blueprintList')
  await choose()
  expect(await screen.findByRole('button', { name: /^Blueprints/ })).toBeTruthy()
  const before = written()
  typed()
  fireEvent.click(await screen.findByRole('option', { name: /Plain picture.*blueprint/ }))
  await waitFor(() => expect(editor.getState().document.nodes.items).toHaveLength(1))
  const asked = { endpointId: 'e', blueprint: 'b1' }
  expect(calls).toContainEqual({ operation: 'blueprintRead', args: { path: asked } })
  const { document } = editor.getState()
  expect(document.definitions?.subgraphs.items.map(({ id }) => id)).toEqual([document.nodes.items[0]?.type])
  const { payload, problems } = toPayload(document, typesWith(), 0)
  expect([problems, validate(payload, typesWith())]).toEqual([[], []])
  act(() => editor.getState().undo())
  expect(written()).toBe(before)
})

test('a file that is not a blueprint changes nothing, and it is said', async () => {
  const { editor, canvas, choose } = renderLists('{"nodes":[]}')
  await choose()
  typed()
  fireEvent.click(await screen.findByRole('option', { name: /Plain picture/ }))
  await waitFor(() => expect(canvas.getState().said.text).toBe('It is not a blueprint.'))
  expect(editor.getState().done).toEqual([])
})
