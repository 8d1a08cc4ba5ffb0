import { fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { LiveEndpoint } from '../../src-main/contract/live.ts'
import type { LoadTest } from '../../src-main/contract/requests.ts'
import { StreamedChunks } from '../../src-renderer/features/requests/jobs/ResponsePane.tsx'
import { LoadTestView } from '../../src-renderer/features/requests/load/LoadTestView.tsx'
import { RouteMenu } from '../../src-renderer/features/requests/web/WebForm.tsx'
import { useWebDraft } from '../../src-renderer/features/requests/web/web-draft.ts'
import { CodeSamples } from '../../src-renderer/ui/output/CodeSamples.tsx'
import { OutputView } from '../../src-renderer/ui/output/OutputView.tsx'
import { anEndpoint, NOW, renderInApp } from './support.tsx'

const app = { name: 'shop', environment: 'production', resource: 'api', code: 'a', variables: 0 }

test('routes that an app declares are chosen from a menu', async () => {
  const endpoints = [{ resource: 'api', routes: ['GET /items', 'POST /items/{id}'] }]
  const chosen: unknown[] = []
  renderInApp(<RouteMenu app={app} onChoose={(route) => chosen.push(route)} />, { environmentRead: { endpoints } })
  fireEvent.keyDown(await screen.findByRole('button', { name: 'Routes' }), { key: 'Enter' })
  fireEvent.click(await screen.findByRole('menuitem', { name: 'POST /items/{id}' }))
  expect(chosen).toEqual([{ method: 'POST', path: '/items/{id}' }])
})

test('a request to an endpoint of an app begins with its first route, and arguments for it', async () => {
  const endpoint = anEndpoint('api', { app })
  const endpoints = [
    { resource: 'api', routes: ['POST /items/{id}', 'POST /items'], examples: { 'POST /items': { name: 'Ada' } } },
  ]
  renderInApp(<DraftOf endpoint={endpoint} />, { environmentRead: { endpoints } })
  await screen.findByText('POST /items JSON {"name":"Ada"}')
})

function DraftOf({ endpoint }: { readonly endpoint: LiveEndpoint }) {
  const [{ method, path, bodyKind, body }] = useWebDraft(endpoint)
  return <p>{`${method} ${path} ${bodyKind} ${JSON.stringify(JSON.parse(body))}`}</p>
}

const running: LoadTest = {
  id: 't',
  endpointId: 'e',
  state: 'running',
  plan: { operation: 'runsync', requests: 100, concurrency: 4 },
  startedAt: NOW,
  result: { elapsedMs: 0, done: 0, failed: 0, statuses: {}, errors: [] },
}

test('a load test that runs is followed, and one that has ended is not', async () => {
  const { follows, calls, rerender } = renderInApp(<LoadTestView test={running} waitingReason="no worker" />, {
    loadTestStop: running,
  })
  screen.getByText('Waiting: no worker')
  expect(follows).toHaveLength(1)
  fireEvent.click(screen.getByRole('button', { name: 'Stop' }))
  await screen.findByRole('button', { name: 'Stopping' })
  expect(calls).toEqual([{ operation: 'loadTestStop', args: { path: { endpointId: 'e', loadTestId: 't' } } }])
  rerender(<p>gone</p>)
  expect(follows).toHaveLength(0)
})

test('an output is shown as it is best looked at, or as JSON', () => {
  renderInApp(<OutputView value={{ text: 'two\nlines', seed: 7 }} label="Output of x" />)
  screen.getByRole('region', { name: 'Text' })
  fireEvent.click(screen.getByRole('radio', { name: 'Raw' }))
  expect(screen.getByRole('region', { name: 'Output of x as JSON' }).textContent).toContain('"two\\nlines"')
})

test('rows of an output, also below a name, are a table', () => {
  const rows = [
    { city: 'Bern', people: 134_794 },
    { city: 'Basel', people: 178_120 },
  ]
  renderInApp(<OutputView value={{ rows }} />)
  expect(screen.getByRole('grid', { name: 'rows' }).getAttribute('aria-rowcount')).toBe('3')
  renderInApp(<OutputView value={rows} />)
  screen.getByRole('grid', { name: 'Rows' })
})

test('a stream of texts is one text, or its chunks', () => {
  renderInApp(<StreamedChunks chunks={['Hel', 'lo', ' you']} ended />)
  screen.getByText('Hello you')
  fireEvent.click(screen.getByRole('radio', { name: 'Chunks' }))
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['"Hel"', '"lo"', '" you"'])
})

test('an output of 20 MB does not stop the window', () => {
  const { container } = renderInApp(<OutputView value={{ text: 'long '.repeat(4_000_000) }} />)
  expect(container.textContent?.length).toBeLessThan(30_000)
  fireEvent.click(screen.getByRole('radio', { name: 'Raw' }))
  expect(container.textContent?.length).toBeLessThan(210_000)
  screen.getByText(/The first 195 KiB of 19 MiB/)
})

test('a request that cannot be sent has no sample, and says why', () => {
  renderInApp(<CodeSamples call={undefined} />)
  screen.getByText('The body in the editor must be valid first.')
})
