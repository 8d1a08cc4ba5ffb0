import { act, fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { BulkBar } from '../../src-renderer/features/jobs/list/BulkBar.tsx'
import { useOtherJobs } from '../../src-renderer/ui/use-other-jobs.ts'
import { aWorker, renderHookInApp, renderInApp } from './support.tsx'

const press = (name: RegExp) => act(async () => void fireEvent.click(screen.getByRole('button', { name })))

/** Two selected jobs, and other jobs of their workers. */
function renderBar(otherJobs: number) {
  let cancels = 0
  const none = { count: 0, run: async () => undefined }
  const cancel = { count: 2, run: async () => void cancels++ }
  const rest = {
    busy: undefined,
    compare: undefined,
    versions: undefined,
    onExport: () => undefined,
    onClear: () => undefined,
  }
  renderInApp(
    <BulkBar label="2 jobs selected" retry={none} rerun={none} cancel={cancel} otherJobs={otherJobs} {...rest} />,
  )
  return () => cancels
}

test('selected jobs are cancelled at once where their workers run nothing else', async () => {
  const cancels = renderBar(0)
  await press(/^Cancel/)
  expect(cancels()).toBe(1)
})

test('else after a question that says how many others start again', async () => {
  const cancels = renderBar(3)
  await press(/^Cancel/)
  expect(cancels()).toBe(0)
  expect(screen.getByRole('alertdialog').textContent).toContain('Their workers also run 3 other jobs.')
  await press(/^Cancel 2 jobs$/)
  expect(cancels()).toBe(1)
})

test('the other jobs follow the workers', () => {
  const { result, store } = renderHookInApp(() => useOtherJobs(['a']))
  expect(result.current).toBe(0)
  const workers = { w: aWorker('w', 'e', { jobs: ['a', 'b'] }), other: aWorker('other', 'e', { jobs: ['c'] }) }
  act(() => store.setState(({ live }) => ({ live: { ...live, workers } })))
  expect(result.current).toBe(1)
})
