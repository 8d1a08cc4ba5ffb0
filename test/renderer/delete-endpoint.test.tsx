import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { EnvironmentDetail } from '../../src-main/contract/app.ts'
import { EnvironmentMenu } from '../../src-renderer/features/apps/deployed/EnvironmentPage.tsx'
import { EndpointMenu } from '../../src-renderer/features/endpoints/EndpointHead.tsx'
import { anEndpoint, NOW, renderInApp } from './support.tsx'

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

test('the questions before an environment or its app is deleted say what breaks outside of it', async () => {
  const app = { name: 'shop', environment: 'staging', resource: 'greet', code: 'c', variables: 0 }
  const uses: Readonly<Record<string, object>> = {
    greet: { ...USED, callers: ['count'], schedules: ['nightly'] },
    count: { ...USED, graphs: [] },
  }
  const detail = { endpoints: ['greet', 'count'].map((id) => ({ id, resource: id })), releases: [{}], variables: [] }
  const { store } = renderInApp(
    <EnvironmentMenu
      target={{ app: 'shop', environment: 'staging' }}
      detail={detail as unknown as EnvironmentDetail}
      project={undefined}
    />,
    {
      appList: { apps: [{ name: 'shop', environments: [{ name: 'staging' }] }] },
      endpointDependents: ({ path }: { path: { endpointId: string } }) => uses[path.endpointId],
    },
  )
  const endpoints = ['greet', 'count'].map((id) => anEndpoint(id, { app }))
  act(() => store.getState().beginWith({ eventId: 1, at: NOW, endpoints, workers: [], command: 'drydock' }))
  const breaks = 'This breaks: 4 unfinished jobs, published graph cat, schedule nightly.'
  for (const [question, text] of [
    [
      'Delete environment shop/staging',
      `${breaks} This deletes environment shop/staging with endpoint greet, endpoint count, 1 release`,
    ],
    ['Delete app shop', `${breaks} This deletes app shop with environment staging`],
  ] as const) {
    fireEvent.keyDown(screen.getByRole('button', { name: 'More for shop/staging' }), { key: 'Enter' })
    fireEvent.click(await screen.findByRole('menuitem', { name: question }))
    await waitFor(() => expect(screen.getByRole('alertdialog').textContent).toContain(text))
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  }
})
