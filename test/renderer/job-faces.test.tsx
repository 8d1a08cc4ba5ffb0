import { act, fireEvent, screen } from '@testing-library/react'
import { expect, onTestFinished, test } from 'vitest'
import type { JobListItem } from '../../src-main/contract/job.ts'
import { shortJobId } from '../../src-main/features/endpoints/rules/ids.ts'
import { Palette } from '../../src-renderer/app/Palette.tsx'
import { QueueTab } from '../../src-renderer/features/endpoints/QueueTab.tsx'
import { FilterBar } from '../../src-renderer/features/jobs/list/FilterBar.tsx'
import { JobHistory } from '../../src-renderer/features/requests/jobs/JobRequests.tsx'
import { JobFaces } from '../../src-renderer/ui/jobs/JobCells.tsx'
import { giveSizes, NOW, renderInApp } from './support.tsx'

const ID = '9b0c7a52-93d4-4a42-9c52-6a0d1f3fa2c1-l1'
const job = (more: Partial<JobListItem> = {}): JobListItem => ({
  id: ID,
  endpointId: 'hello',
  status: 'COMPLETED',
  createdAt: NOW,
  preview: { input: '{"prompt":"a boat"}', output: '{"image":"boat.png"}' },
  ...more,
})

test('a short id is the last six letters that tell jobs apart', () => {
  expect([ID, `sync-${ID}`, 'j-1'].map(shortJobId)).toEqual(['3fa2c1', '3fa2c1', 'j-1'])
})

test('a row shows the beginnings of input and output, a short id, and copies the whole', async () => {
  onTestFinished(giveSizes())
  const { copied, calls } = renderRows([job()])
  const link = await screen.findByTitle(ID)
  expect(link.textContent).toBe(ID)
  screen.getByText('{"prompt":"a boat"}')
  screen.getByText('{"image":"boat.png"}')
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Copy id' })))
  expect(copied).toEqual([ID])
  expect(calls).toContainEqual(
    expect.objectContaining({
      args: expect.objectContaining({ query: expect.objectContaining({ previews: 'true' }) }),
    }),
  )
})

test('a row with an error shows it in place of the output', async () => {
  onTestFinished(giveSizes())
  renderRows([job({ status: 'FAILED', error: 'ValueError: no face' })])
  await screen.findByText('ValueError: no face')
  expect(screen.queryByText('{"image":"boat.png"}')).toBe(null)
})

test.each([
  ['input', '{"image":"boat.png"}'],
  ['output', '{"prompt":"a boat"}'],
  ['error', '{"prompt":"a boat"}'],
] as const)('a search hit in the %s is shown in its column, and the other column stays', async (place, other) => {
  onTestFinished(giveSizes())
  const [harbour, noon] = [
    { text: 'harbour', isMatch: true },
    { text: 'noon', isMatch: true },
  ]
  renderRows([job({ found: [{ in: place, parts: [harbour, { text: ' at ', isMatch: false }, noon] }] })])
  const cellOf = (text: string) => screen.getByText(text).closest('td')?.cellIndex ?? -1
  await screen.findByText('harbour')
  expect([...document.querySelectorAll('mark')].map(({ textContent }) => textContent)).toEqual(['harbour', 'noon'])
  expect(Math.sign(cellOf('harbour') - cellOf(other))).toBe(place === 'input' ? -1 : 1)
})

function renderRows(requests: readonly JobListItem[]) {
  const rendered = renderInApp(<JobHistory endpointId="hello" onLoad={() => undefined} />, { jobList: { requests } })
  return { ...rendered, copied: rendered.platform.copied }
}

test('jobs that are named by their ids alone have faces too', async () => {
  renderInApp(<JobFaces ids={[ID]} label="Jobs now" />, { jobList: { requests: [job()] } })
  await screen.findByText('{"prompt":"a boat"}')
  expect(screen.getByTitle(ID).getAttribute('href')).toBe(`/jobs/${ID}`)
})

test('a waiting job shows its input', async () => {
  const jobs = [{ id: ID, lowPriority: false, priority: 0, createdAt: NOW, preview: { input: '{"n":7}' } }]
  renderInApp(<QueueTab endpointId="hello" />, { jobQueue: { jobs, more: false } })
  await screen.findByText('{"n":7}')
})

test('an entry of the palette shows the beginnings of a job', async () => {
  const { platform } = renderInApp(<Palette onClose={() => undefined} />, {
    jobList: { requests: [job()] },
    workflowList: { workflows: [] },
  })
  fireEvent.change(screen.getByRole('combobox'), { target: { value: 'boat' } })
  await act(() => platform.advance(200))
  const entry = await screen.findByRole('option', { name: /3fa2c1/ })
  expect(entry.textContent).toContain('{"prompt":"a boat"}')
  expect(entry.textContent).toContain('{"image":"boat.png"}')
})

test('chips of states have counts', async () => {
  const none = { count: 0, more: false }
  const states = {
    IN_QUEUE: { count: 3, more: false },
    IN_PROGRESS: none,
    COMPLETED: { count: 10_000, more: true },
    FAILED: none,
    CANCELLED: none,
    TIMED_OUT: none,
  }
  renderInApp(<FilterBar filter={{ states: [] }} onChange={() => undefined} ofEndpoint={false} />, {
    jobStates: { states },
  })
  await screen.findByRole('button', { name: 'Queued 3' })
  screen.getByRole('button', { name: 'Completed 10,000+' })
  screen.getByRole('button', { name: 'Failed 0' })
})
