/**
 * Tabs of the editor on the real service, in one process: real routes on real SQLite, and a way to it that can be cut.
 */
import { expect } from 'vitest'
import type { WorkflowView } from '../../../src-main/contract/workflows.ts'
import type { WorkflowDocument } from '../../../src-main/features/workflows/rules/document/document.ts'
import { createApiClient } from '../../../src-renderer/api-client/client.ts'
import { browserTexts, type LocalTexts } from '../../../src-renderer/browser/local-texts.ts'
import { createNodeTypesCache } from '../../../src-renderer/features/workflow-editor/files/node-types.ts'
import { createOpenTabs, type OpenDocument } from '../../../src-renderer/features/workflow-editor/files/open-tabs.ts'
import { setup as startCore } from '../../support/core.ts'
import { type TestPlatform, testPlatform, until } from '../support.tsx'

/** A document with one node whose title is given. */
export const textWith = (title: string) =>
  `{\n  "last_node_id": 1,\n  "nodes": [\n    { "id": 1, "type": "Note", "pos": [1.0, 2], "title": ${JSON.stringify(title)} }\n  ],\n  "links": [],\n  "version": 0.4\n}\n`

/** The title of its node. */
const titleOf = ({ nodes }: WorkflowDocument) => nodes.items[0]?.title

/** Another title for its node. */
const retitled =
  (title: string) =>
  (document: WorkflowDocument): WorkflowDocument => {
    const items = document.nodes.items.map((node) => ({ ...node, title }))
    return { ...document, nodes: { ...document.nodes, items } }
  }

/** Starts a service with one workflow, and gives windows onto it. */
export async function setup() {
  const service = await startCore()
  const text = textWith('begun')
  const workflow: WorkflowView = await service.post('/api/workflows', { name: 'Castle', text })
  return {
    service,
    workflow,
    text,
    kept: () => service.get(`/api/workflows/${workflow.id}`),
    openWindow: (texts?: LocalTexts, platform?: TestPlatform) => openWindow(service, workflow.id, texts, platform),
  }
}

type Core = Awaited<ReturnType<typeof startCore>>

async function openWindow(
  service: Core,
  workflowId: string,
  texts: LocalTexts = browserTexts(undefined),
  platform = testPlatform(),
) {
  const said: string[] = []
  let cut: 'no' | 'before' | 'after' = 'no'
  const calls: string[] = []
  const fetch = async (address: string, init: RequestInit = {}) => {
    calls.push(`${init.method} ${address}`)
    if (cut === 'before') throw new TypeError('fetch failed')
    const headers = Object.fromEntries(new Headers(init.headers))
    const body = init.body === undefined ? {} : { body: init.body }
    const answer = await service.request(init.method ?? 'GET', address, { headers, ...body })
    if (cut === 'after') throw new TypeError('fetch failed')
    return answer
  }
  const connect = () => {
    throw new Error('nothing is followed here')
  }
  const client = createApiClient({ fetch: fetch as typeof globalThis.fetch, connect, platform })
  const types = createNodeTypesCache(client)
  const notify = (_kind: 'done' | 'error', what: string) => void said.push(what)
  const tabs = createOpenTabs({ client, platform, texts, types, notify })
  await tabs.show(workflowId)
  const open = () => tabs.state.getState().tabs.find((tab) => tab.workflowId === workflowId)?.open as OpenDocument
  const status = () => open().autosave.state.getState().status
  return {
    client,
    platform,
    tabs,
    types,
    texts,
    said,
    calls,
    open,
    edit: (title: string) => open().tab.editor.getState().edit('Rename', retitled(title)),
    title: () => titleOf(open().tab.editor.getState().document),
    status,
    /** Lets the hands rest, or time pass, and waits until nothing is under way. */
    rest: async (ms = 1000) => {
      await platform.advance(ms)
      await until(() => expect(['waiting', 'keeping']).not.toContain(status()))
    },
    /** Cuts the way: requests do not arrive, or their answers do not. */
    cut: (how: 'no' | 'before' | 'after') => {
      cut = how
    },
  }
}
