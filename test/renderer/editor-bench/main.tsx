/**
 * The canvas of the editor alone, or a bare React Flow with the same graph, to be measured: `?nodes=5000&bare`. The
 * measured values are properties of the window.
 */
import './bench.css'
import * as Tooltip from '@radix-ui/react-tooltip'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import nodeTypesText from '../../../resources/node-types.json?raw'
import { typesIn } from '../../../src-main/features/workflows/rules/classes-file.ts'
import { readDocument } from '../../../src-main/features/workflows/rules/document/document.ts'
import { parseJson } from '../../../src-main/lib/json/parse.ts'
import { isObject } from '../../../src-main/lib/json/value.ts'
import type { ApiClient } from '../../../src-renderer/api-client/client.ts'
import { browserPlatform } from '../../../src-renderer/browser/platform.ts'
import { Canvas } from '../../../src-renderer/features/workflow-editor/canvas/Canvas.tsx'
import { CanvasContext, createCanvasStore } from '../../../src-renderer/features/workflow-editor/store/canvas-store.ts'
import {
  createEditorStore,
  type Tab,
  TabContext,
} from '../../../src-renderer/features/workflow-editor/store/editor-store.ts'
import { createRunStore } from '../../../src-renderer/features/workflow-editor/store/run-store.ts'
import { AppContext } from '../../../src-renderer/store/app-context.ts'
import { createAppStore } from '../../../src-renderer/store/app-store.ts'
import { BareFlow } from './bare-flow.tsx'
import { makeDocument } from './make-document.ts'

const options = new URLSearchParams(location.search)

function readObject(text: string) {
  const parsed = parseJson(text)
  if (!isObject(parsed)) throw new Error('no object')
  return parsed
}

const platform = browserPlatform(window)
const client = { call: () => new Promise(() => {}), follow: () => () => {} } as unknown as ApiClient
const services = { store: createAppStore(platform), client, platform }
const types = typesIn(nodeTypesText)
const root = createRoot(document.getElementById('root') as HTMLElement)

let current: Tab | undefined

function open(count: number, bare: boolean) {
  const raw = readObject(makeDocument(count))
  const start = performance.now()
  const opened = readDocument(raw)
  const tab: Tab = { workflowId: 'bench', editor: createEditorStore(opened, types), runs: createRunStore() }
  root.render(
    bare ? (
      <BareFlow document={opened} />
    ) : (
      <AppContext value={services}>
        <QueryClientProvider client={new QueryClient()}>
          <Tooltip.Provider>
            <TabContext value={tab}>
              <CanvasContext value={createCanvasStore(platform)}>
                <main style={{ height: '100vh' }}>
                  <Canvas />
                </main>
              </CanvasContext>
            </TabContext>
          </Tooltip.Provider>
        </QueryClientProvider>
      </AppContext>
    ),
  )
  current = tab
  return { start }
}

const bench = {
  /** Leads to nodes, and comes near. */
  reveal: (ids: readonly string[]) => current?.editor.getState().reveal([], ids),
}
const close = () => {
  current = undefined
  root.render(null)
}
Object.assign(window, { open, close, bench })
if (options.has('theme')) document.documentElement.dataset.theme = options.get('theme') ?? ''
if (options.has('nodes')) open(Number(options.get('nodes')), options.has('bare'))
