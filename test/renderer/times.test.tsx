import { screen } from '@testing-library/react'
import { expect, onTestFinished, test } from 'vitest'
import { ChangesCard } from '../../src-renderer/features/settings/KeysCard.tsx'
import { EventsPage } from '../../src-renderer/features/system/EventsPage.tsx'
import { exactTime } from '../../src-renderer/ui/format.ts'
import { giveSizes, NOW, renderInApp } from './support.tsx'

const AT = NOW - 65_000

test('an event shows its clock time and how long ago it was', async () => {
  onTestFinished(giveSizes())
  const events = [{ id: 1, at: AT, kind: 'endpoint', endpointId: 'hello', event: 'created' }]
  renderInApp(<EventsPage />, { fleetEventList: { events } })
  await screen.findByText('hello')
  const time = screen.getByText(exactTime(AT).slice(11, 19))
  expect(time.closest('td')?.textContent).toContain('1 min ago')
})

test('changes are a table with heads, in which each fact has its column', async () => {
  onTestFinished(giveSizes())
  const entry = {
    id: 1,
    at: AT,
    key: 'ada',
    from: '127.0.0.1',
    operation: 'endpointPause',
    target: 'hello',
    status: 200,
  }
  renderInApp(<ChangesCard />, {
    auditList: {
      entries: [
        { ...entry, what: 'Pause an endpoint' },
        { ...entry, id: 2, what: 'Delete a job', status: 403 },
      ],
    },
  })
  await screen.findByText('Pause an endpoint')
  const heads = screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
  expect(heads).toEqual(['When', 'Key', 'Change', 'Of', 'Result'])
  expect(screen.getByText('refused (403)').closest('td')?.cellIndex).toBe(4)
})
