import { fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { EndpointMenu } from '../../src-renderer/features/endpoints/EndpointHead.tsx'
import { anEndpoint, renderInApp } from './support.tsx'

const USED = { jobs: 2, graphs: ['cat'], callers: [], schedules: [], batches: [], comparisons: [] }

test('the question before an endpoint is deleted says what breaks, and reads it only then', async () => {
  const { calls } = renderInApp(<EndpointMenu endpoint={anEndpoint('sketch')} tab="jobs" />, {
    endpointDependents: USED,
  })
  expect(calls).toEqual([])
  fireEvent.keyDown(screen.getByRole('button', { name: 'More for sketch' }), { key: 'Enter' })
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete endpoint sketch' }))
  await screen.findByText(/This breaks: 2 unfinished jobs, published graph cat\. Its key/)
})
