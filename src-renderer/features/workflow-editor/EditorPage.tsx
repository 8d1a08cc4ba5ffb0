import clsx from 'clsx'
import { PanelLeft, PanelRight } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { ADDRESS } from '../../addresses.ts'
import { useApp } from '../../store/app-context.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { useOpened } from '../../ui/Page.tsx'
import { EmptyState, Skeleton } from '../../ui/PageStates.tsx'
import { SegmentedChoice } from '../../ui/Tabs.tsx'
import { useSearchParts } from '../../ui/use-address.ts'
import { Canvas } from './canvas/Canvas.tsx'
import { EditorTabs } from './files/EditorTabs.tsx'
import { useOpenWorkflow } from './files/editor-files.ts'
import { ImagePanel } from './image/ImagePanel.tsx'
import { Inspector } from './inspector/Inspector.tsx'
import { NodePalette, NodesInPalette } from './palette/NodePalette.tsx'
import { ModelsPanel } from './problems/ModelsPanel.tsx'
import { ProblemsPanel } from './problems/ProblemsPanel.tsx'
import { GraphActions } from './publish/GraphActions.tsx'
import { ResultsPanel } from './run/ResultsPanel.tsx'
import { RunBar } from './run/RunBar.tsx'
import { CanvasContext, createCanvasStore, useCanvas, useCanvasStore } from './store/canvas-store.ts'
import { TabContext } from './store/editor-store.ts'

export function EditorPage({ workflowId }: { readonly workflowId: string }) {
  const { platform } = useApp()
  const { tab, name, problem, retry } = useOpenWorkflow(workflowId)
  const [search] = useSearchParts()
  const [canvas] = useState(() =>
    createCanvasStore(platform, { width: window.innerWidth, isSideOpen: search.has('side') }),
  )
  useEffect(() => {
    const resize = () => canvas.getState().resize(window.innerWidth)
    addEventListener('resize', resize)
    return () => removeEventListener('resize', resize)
  }, [canvas])
  useEffect(() => {
    document.title = [name, 'Workflows', 'Drydock'].filter((part) => part !== '').join(' · ')
  }, [name])
  useOpened(tab === undefined ? undefined : name)
  return (
    <CanvasContext value={canvas}>
      <EditorTabs />
      {tab !== undefined ? (
        <TabContext key={workflowId} value={tab}>
          <NodesInPalette />
          <Editor name={name} />
        </TabContext>
      ) : (
        <main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col p-4 outline-none">
          <h1 className="sr-only">{name === '' ? 'Workflow' : name}</h1>
          {problem === undefined ? (
            <Skeleton className="flex-1" />
          ) : (
            <EmptyState
              action={
                <div className="flex items-center gap-3">
                  <Button onClick={retry}>Try again</Button>
                  <Link to={ADDRESS.workflows} className="text-accent hover:underline">
                    All workflows
                  </Link>
                </div>
              }
            >
              {problem}
            </EmptyState>
          )}
        </main>
      )}
    </CanvasContext>
  )
}

function Editor({ name }: { readonly name: string }) {
  const { isPaletteOpen, isSideOpen } = useCanvas((state) => state.preferences)
  return (
    <>
      <EditorHeader name={name} />
      <main id="content" tabIndex={-1} className="relative flex min-h-0 flex-1 outline-none">
        {isPaletteOpen && (
          <div className={clsx(PANEL, 'border-r border-line max-lg:left-0')}>
            <NodePalette />
          </div>
        )}
        <div className="relative min-w-0 flex-1">
          <Canvas />
          <RunBarPlace />
        </div>
        {isSideOpen && <SidePart name={name} />}
      </main>
    </>
  )
}

function RunBarPlace() {
  const canvas = useCanvasStore()
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current } = place
    if (current === null) return undefined
    const measure = () => canvas.getState().keepFree(current.offsetHeight)
    measure()
    const resize = new ResizeObserver(measure)
    resize.observe(current)
    return () => resize.disconnect()
  }, [canvas])
  return (
    <div ref={place} className="pointer-events-none absolute inset-x-0 bottom-2 z-10 flex justify-center px-2">
      <RunBar />
    </div>
  )
}

function EditorHeader({ name }: { readonly name: string }) {
  const canvas = useCanvasStore()
  const { isPaletteOpen, isSideOpen } = useCanvas((state) => state.preferences)
  const { prefer } = canvas.getState()
  const [, setSearch] = useSearchParts()
  const showImage = useCallback(() => {
    canvas.getState().prefer({ isSideOpen: true })
    setSearch({ side: 'image' })
  }, [canvas, setSearch])
  return (
    <header className="flex min-h-9 shrink-0 items-center gap-2 border-b border-line bg-surface-1 px-2">
      <IconButton
        label={isPaletteOpen ? 'Hide the nodes (N)' : 'Show the nodes (N)'}
        icon={<PanelLeft />}
        aria-pressed={isPaletteOpen}
        onClick={() => prefer({ isPaletteOpen: !isPaletteOpen })}
      />
      <nav aria-label="Breadcrumb" className="min-w-0">
        <ol className="flex items-center gap-1.5">
          <li>
            <Link to={ADDRESS.workflows} className="text-ink-2 hover:text-ink hover:underline">
              Workflows
            </Link>
          </li>
          <li aria-hidden className="text-ink-2">
            /
          </li>
          <li className="min-w-0">
            <h1 className="truncate font-semibold">{name}</h1>
          </li>
        </ol>
      </nav>
      <div className="ml-auto flex items-center gap-2">
        <ProblemsPanel />
        <GraphActions name={name} onDeploy={showImage} />
        <IconButton
          label={isSideOpen ? 'Hide inspector and results (A)' : 'Show inspector and results (A)'}
          icon={<PanelRight />}
          aria-pressed={isSideOpen}
          onClick={() => prefer({ isSideOpen: !isSideOpen })}
        />
      </div>
    </header>
  )
}

const PANEL =
  'flex min-h-0 shrink-0 flex-col bg-surface-1 max-lg:absolute max-lg:inset-y-0 max-lg:z-20 max-lg:shadow-float'

const SIDES = ['Inspector', 'Results', 'Models', 'Image'] as const

function SidePart({ name }: { readonly name: string }) {
  const canvas = useCanvasStore()
  const width = useCanvas(({ preferences }) => preferences.sideWidth)
  const [search, set] = useSearchParts()
  const side = SIDES.find((one) => one.toLowerCase() === search.get('side')) ?? 'Inspector'
  const choose = (value: (typeof SIDES)[number]) =>
    set({ side: value === 'Inspector' ? undefined : value.toLowerCase() })
  return (
    <div style={{ width }} className={clsx(PANEL, 'relative max-w-full border-l border-line max-lg:right-0')}>
      <SideResizer width={width} onWidth={(sideWidth) => canvas.getState().prefer({ sideWidth })} />
      <div className="shrink-0 border-b border-line p-2">
        <SegmentedChoice label="Panel" choices={SIDES} value={side} onChange={choose} />
      </div>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        {side === 'Inspector' && <Inspector />}
        {side === 'Results' && <ResultsPanel />}
        {side === 'Models' && <ModelsPanel />}
        {side === 'Image' && <ImagePanel name={name} />}
      </div>
    </div>
  )
}

const MIN_WIDTH_PX = 260
const MAX_WIDTH_PX = 720
const STEP_PX = 20

function SideResizer({ width, onWidth }: { readonly width: number; readonly onWidth: (width: number) => void }) {
  const set = (wanted: number) => onWidth(Math.round(Math.min(MAX_WIDTH_PX, Math.max(MIN_WIDTH_PX, wanted))))
  function onPointerMove(event: PointerEvent<HTMLElement>) {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) set(width - event.movementX)
  }
  function onKeyDown({ key }: KeyboardEvent) {
    if (key === 'ArrowLeft') set(width + STEP_PX)
    if (key === 'ArrowRight') set(width - STEP_PX)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be moved
    <div
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Width of the panel"
      aria-valuenow={width}
      aria-valuemin={MIN_WIDTH_PX}
      aria-valuemax={MAX_WIDTH_PX}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
      className="absolute inset-y-0 -left-1 z-10 w-2 cursor-col-resize touch-none hover:bg-accent-soft max-lg:hidden"
    />
  )
}
