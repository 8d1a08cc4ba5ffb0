import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { JobDetail } from '../../src-renderer/api-client/jobs.ts'
import { CrashBanner } from '../../src-renderer/features/endpoints/EndpointHead.tsx'
import { WhyItWaits } from '../../src-renderer/features/jobs/page/Timeline.tsx'
import { anEndpoint, NOW, renderInApp } from './support.tsx'

test.each([
  ['KeyError: 1', 'KeyError: 1. 3 jobs wait.'],
  ['Cannot start.', 'Cannot start. 3 jobs wait.'],
  ['Is it there?', 'Is it there? 3 jobs wait.'],
])('the banner of crashes ends the reason %j with one stop', (lastWords, told) => {
  const crash = { count: 7, lastWords, since: 0, lastAt: NOW, needsChange: true }
  const endpoint = anEndpoint('e', { inQueue: 3, crash })
  renderInApp(<CrashBanner endpoint={endpoint} crash={crash} />)
  expect(screen.getByRole('region', { name: 'Crashes' }).textContent).toContain(`): ${told}`)
})

test('the page of a waiting job says once why it waits', () => {
  const waitingReason = 'All cards are taken by other programs'
  const job: JobDetail = {
    ...{ id: 'j', endpointId: 'e', status: 'IN_QUEUE', createdAt: NOW, attempt: 0, lowPriority: false, priority: 0 },
    ...{ input: {}, history: [], deliveries: [], chunkCount: 0, waitingReason },
    queue: { before: 2, more: false, how: `Start time unknown: ${waitingReason}.` },
  }
  renderInApp(<WhyItWaits job={job} />)
  expect(screen.getByRole('status').textContent?.split(waitingReason)).toHaveLength(2)
  screen.getByText(/2 jobs before it/)
})
