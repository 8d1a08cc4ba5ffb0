import { act, screen } from '@testing-library/react'
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
  const crash = { pool: 'main', count: 7, lastWords, since: 0, lastAt: NOW, needsChange: true } as const
  const endpoint = anEndpoint('e', { inQueue: 3, crash })
  renderInApp(<CrashBanner endpoint={endpoint} crash={crash} isCrashing />)
  expect(screen.getByRole('region', { name: 'Crashes' }).textContent).toContain(`): ${told}`)
})

test('the banner of past crashes says when they were, and can be cleared', () => {
  const crash = {
    pool: 'main',
    count: 7,
    lastWords: 'KeyError: 1',
    since: 0,
    lastAt: NOW - 300_000,
    needsChange: true,
  } as const
  renderInApp(<CrashBanner endpoint={anEndpoint('e', { crash })} crash={crash} isCrashing={false} />)
  const banner = screen.getByRole('region', { name: 'Crashes' })
  expect(banner.textContent).toContain('Its last workers crashed (7 times, last 5 min ago): KeyError: 1.')
  screen.getByRole('button', { name: 'Clear' })
})

test('the banner of crashes shows the hint on its own line, with the launcher of this installation and labels of settings', () => {
  const hint =
    'No module (install it: drydock endpoint install e torch; or name the environment that has it: drydock endpoint update e --virtual-env .venv)'
  const crash = { pool: 'main', count: 7, lastWords: hint, since: 0, lastAt: NOW, needsChange: true } as const
  const endpoint = anEndpoint('e', { crash })
  const { store } = renderInApp(<CrashBanner endpoint={endpoint} crash={crash} isCrashing />)
  act(() => store.setState(({ live }) => ({ live: { ...live, command: 'node /clone/src-main/app/cli/drydock.mjs' } })))
  screen.getByText('No module')
  screen.getByText(
    'install it: node /clone/src-main/app/cli/drydock.mjs endpoint install e torch; or name the environment that has it in Virtual environment of its settings, like .venv.',
  )
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
  screen.getByText(/2 jobs ahead of it/)
})
