import { act, screen } from '@testing-library/react'
import { ReactFlowProvider, useStoreApi } from '@xyflow/react'
import { useMemo } from 'react'
import { expect, test } from 'vitest'
import { SelectionBar } from '../../../src-renderer/features/workflow-editor/canvas/SelectionBar.tsx'
import { useFlow } from '../../../src-renderer/features/workflow-editor/graph/flow-graph.ts'
import type { EditorActions } from '../../../src-renderer/features/workflow-editor/keys/create-actions.ts'
import { CanvasContext, createCanvasStore } from '../../../src-renderer/features/workflow-editor/store/canvas-store.ts'
import { testPlatform } from '../support.tsx'
import { documentOf, renderInEditor } from './widgets-support.tsx'

const SAMPLER = '{"id":3,"type":"KSampler","widgets_values":[1,"fixed",20,8.0,"euler","normal",1]}'

type View = { show: (x: number, y: number) => void }

// The bar over all nodes of the document. The view is moved as React Flow does, by its store.
function Bar({ actions, view }: { readonly actions: EditorActions; readonly view: View }) {
  const flow = useStoreApi()
  const { nodes } = useFlow(undefined)
  const selected = useMemo(() => nodes.map((node) => ({ ...node, selected: true })), [nodes])
  view.show = (x, y) => flow.setState({ transform: [x, y, 1], width: 1000, height: 800 })
  return <SelectionBar nodes={selected} actions={actions} />
}

test('the bar of the selection goes with the view, and what is in it is not drawn again for that', () => {
  let drawn = 0
  // Each drawing of the tools asks what Bypass does.
  const actions = {
    get bypass() {
      drawn += 1
      return () => undefined
    },
  } as unknown as EditorActions
  const view: View = { show: () => undefined }
  renderInEditor(
    <CanvasContext value={createCanvasStore(testPlatform())}>
      <ReactFlowProvider>
        <Bar actions={actions} view={view} />
      </ReactFlowProvider>
    </CanvasContext>,
    documentOf([SAMPLER]),
  )
  act(() => view.show(400, 300))
  const before = drawn
  const places = [1, 2, 3].map((step) => {
    act(() => view.show(400 + step * 10, 300 + step))
    return screen.getByRole('toolbar', { name: 'Selection' }).getAttribute('style')
  })
  expect([new Set(places).size, before > 0, drawn]).toEqual([3, true, before])
})
