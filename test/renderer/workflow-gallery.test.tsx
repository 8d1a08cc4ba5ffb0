import { fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { RunDetail } from '../../src-main/contract/workflows.ts'
import { RunPage } from '../../src-renderer/features/workflows/gallery/RunPage.tsx'
import { NOW, renderInApp, until } from './support.tsx'

const RUN: RunDetail = {
  ...{ id: 'r', endpointId: 'e', title: 'harbour', status: 'COMPLETED', createdAt: NOW, endedAt: NOW },
  ...{ results: [], errors: [], payload: '{"1":{"class_type":"Note","inputs":{}}}', document: '{"nodes":[]}' },
}

const save = () => screen.queryByRole('button', { name: 'Save to library' })

test('a run by command is saved to the library once, with the graph that it was made of', async () => {
  const { calls } = renderInApp(<RunPage runId="r" />, { runRead: RUN, workflowCreate: { id: 'w', name: 'harbour' } })
  await screen.findByRole('heading', { name: 'harbour' })
  fireEvent.click(save() ?? document.body)
  await screen.findByRole('button', { name: 'Open in library' })
  expect(save()).toBeNull()
  const saved = calls.flatMap(({ operation, args }) => (operation === 'workflowCreate' ? [args] : []))
  expect(saved).toEqual([{ body: { name: 'harbour', text: '{"nodes":[]}' } }])
})

test('a run of the library is not saved again, and one that could not be saved may be', async () => {
  const inLibrary = renderInApp(<RunPage runId="r" />, { runRead: { ...RUN, workflowId: 'w' } })
  await screen.findByRole('heading', { name: 'harbour' })
  expect(save()).toBeNull()
  inLibrary.unmount()
  const refused = () => Promise.reject(new Error('the library is full'))
  const { store } = renderInApp(<RunPage runId="r" />, { runRead: RUN, workflowCreate: refused })
  fireEvent.click(await screen.findByRole('button', { name: 'Save to library' }))
  await until(() => expect(store.getState().notices.map(({ text }) => text)).toEqual([expect.stringContaining('full')]))
  expect(save()).not.toBeNull()
})
