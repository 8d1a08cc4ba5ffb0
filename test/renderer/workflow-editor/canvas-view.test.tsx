/** Which part of a graph is seen when panels, the window or the run bar leave it another room. */
import { act } from '@testing-library/react'
import { ReactFlowProvider, useStoreApi, type Viewport } from '@xyflow/react'
import { useState } from 'react'
import { describe, expect, test } from 'vitest'
import { detailAt } from '../../../src-renderer/features/workflow-editor/canvas/use-overview.ts'
import { useFlow } from '../../../src-renderer/features/workflow-editor/graph/flow-graph.ts'
import type { CanvasNode } from '../../../src-renderer/features/workflow-editor/graph/flow-types.ts'
import {
  firstView,
  roomOf,
  useView,
  viewportOf,
} from '../../../src-renderer/features/workflow-editor/graph/viewport.ts'
import {
  CanvasContext,
  type CanvasStore,
  createCanvasStore,
} from '../../../src-renderer/features/workflow-editor/store/canvas-store.ts'
import { useTab } from '../../../src-renderer/features/workflow-editor/store/editor-store.ts'
import { makeDocument } from '../editor-bench/make-document.ts'
import { testPlatform } from '../support.tsx'
import { renderInEditor } from './widgets-support.tsx'

type Shown = { readonly canvas: CanvasStore; view: Viewport; resize: (width: number, height: number) => void }
type GraphProps = { readonly shown: Shown }

/** A canvas whose element has a size that a test sets. Its view moves as in React Flow. */
function Graph({ shown }: GraphProps) {
  const { editor } = useTab()
  const store = useStoreApi()
  const flow = useFlow(undefined)
  const setViewport = async ({ x, y, zoom }: Viewport) => {
    store.setState({ transform: [x, y, zoom] })
    return true
  }
  useState(() => {
    const size = { width: 1000, height: 700 }
    const { x, y, zoom } = firstView(editor, flow, roomOf(shown.canvas.getState(), size))
    store.setState({ ...size, transform: [x, y, zoom], panZoom: { setViewport } as never })
    store.subscribe(({ transform }) => {
      shown.view = { x: transform[0], y: transform[1], zoom: transform[2] }
    })
    shown.view = { x, y, zoom }
    shown.resize = (width, height) => store.setState({ width, height })
    return 0
  })
  useView(flow)
  return (
    <button type="button" onClick={() => void setViewport({ ...shown.view, x: shown.view.x + 10 })}>
      move
    </button>
  )
}

function setup(extra: object = {}) {
  const shown: Shown = {
    canvas: createCanvasStore(testPlatform()),
    view: { x: 0, y: 0, zoom: 1 },
    resize: () => undefined,
  }
  const text = JSON.stringify({ ...JSON.parse(makeDocument(7)), extra })
  const { getByRole, unmount } = renderInEditor(
    <CanvasContext value={shown.canvas}>
      <ReactFlowProvider>
        <Graph shown={shown} />
      </ReactFlowProvider>
    </CanvasContext>,
    text,
  )
  return { shown, move: () => act(() => getByRole('button').click()), unmount }
}

describe('a graph that is seen whole', () => {
  test('is fitted again when its room changes', () => {
    const { shown } = setup()
    const before = shown.view
    act(() => shown.resize(600, 700))
    expect(shown.view.zoom).toBeLessThan(before.zoom)
    act(() => shown.resize(1000, 700))
    expect(shown.view).toEqual(before)
  })

  test('leaves the run bar free as high as it is, and no more when the bar shrinks', () => {
    const { shown } = setup()
    const before = shown.view
    act(() => shown.canvas.getState().keepFree(200))
    const raised = shown.view
    expect(raised).not.toEqual(before)
    act(() => shown.canvas.getState().keepFree(50))
    expect(shown.view).toEqual(raised)
  })
})

// As wide and high as the template Text to picture; what can be pressed of its slots stands 10 px out of the nodes.
test.each([1223, 968])('in a canvas of %d px, slots at the edges of a graph are within its margins', (width) => {
  const box = { id: '1', type: 'node', position: { x: 0, y: -30 }, width: 1400, height: 660 } as unknown as CanvasNode
  const view = viewportOf([box], { width, height: 668, hasMinimap: false, barHeight: 54 })
  const { x = 0, zoom = 0 } = view ?? {}
  // The library rounds up to one px.
  expect(x - 10 * zoom).toBeGreaterThanOrEqual(23)
  expect(x + 1410 * zoom).toBeLessThanOrEqual(width - 23)
})

test.each([
  ['moved by a person', {}, true],
  ['of its document', { ds: { scale: 0.9, offset: [9, 99] } }, false],
])('a view %s stays', (_name, extra, isMoved) => {
  const { shown, move } = setup(extra)
  if (isMoved) move()
  const { view } = shown
  act(() => shown.resize(600, 500))
  act(() => shown.canvas.getState().keepFree(200))
  expect(shown.view).toEqual(view)
})

test('fields are drawn where they could be read, and always in a small graph', () => {
  const at = (zoom: number) => [7, 20, 21, 5000].map((nodes) => detailAt(zoom, nodes))
  expect(at(0.3)).toEqual(['all', 'all', 'all', 'all'])
  expect(at(0.29)).toEqual(['all', 'all', 'plain', 'plain'])
  expect(at(0.1)).toEqual(['all', 'all', 'bare', 'bare'])
})
