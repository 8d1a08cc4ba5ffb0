/** ComfyUI servers of an endpoint: their standing, and what the buttons change. */
import { act, fireEvent, screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { EndpointServer } from '../../src-main/contract/workflows.ts'
import { ServersCard } from '../../src-renderer/features/endpoints/ServersCard.tsx'
import { anEndpoint, aWorker, NOW, renderInApp, type TestAnswers, until } from './support.tsx'

const aServer = (number: number, more: Partial<EndpointServer> = {}): EndpointServer => ({
  ...{ number, address: `http://ann:***@gpu${number}:8188`, state: 'ready', jobs: [], loaded: [] },
  lacks: { classes: [], models: [] },
  ...more,
})

function card(servers: readonly EndpointServer[], answers: TestAnswers = {}) {
  const shown = { servers }
  const view = renderInApp(<ServersCard endpoint={anEndpoint('farm')} />, {
    endpointServers: shown,
    endpointServerChange: shown,
    info: { role: 'admin' },
    ...answers,
  })
  const changes = () =>
    view.calls.flatMap(({ operation, args }) =>
      operation === 'endpointServerChange' ? [(args as { body: unknown }).body] : [],
    )
  return { ...view, changes }
}

const items = async () =>
  within(await screen.findByRole('list', { name: 'ComfyUI servers' }))
    .getAllByRole('button', { name: /^Remove/ })
    .map((button) => button.closest('li')?.textContent)

test('each server shows its standing, what it lacks, runs and has loaded', async () => {
  card([
    aServer(1, { jobs: ['job-1'], loaded: ['a.safetensors'] }),
    aServer(2, { state: 'lost', lostBecause: 'does not answer: ECONNREFUSED', lostSince: NOW - 120_000 }),
    aServer(3, { state: 'draining', lacks: { classes: ['Special'], models: [] } }),
  ])
  await screen.findByText('Takes graphs')
  const [one, two, three] = await items()
  expect(one).toMatch(/^1\. gpu1:8188Takes graphs.*Runs.*Has loaded a\.safetensors\.$/)
  expect(two).toMatch(/^2\. gpu2:8188Lost.*Does not answer: ECONNREFUSED\. Lost 2 min ago\.$/)
  expect(three).toMatch(/^3\. gpu3:8188Draining.*Lacks node class Special\.$/)
})

test('buttons add, drain, resume and remove servers, and a removal is confirmed', async () => {
  const { changes, store } = card([aServer(1), aServer(2, { state: 'drained' })], {
    endpointServerChange: () => ({ servers: [aServer(1), aServer(2)] }),
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Drain gpu1:8188' }))
  fireEvent.click(screen.getByRole('button', { name: 'Resume gpu2:8188' }))
  await screen.findByRole('button', { name: 'Drain gpu2:8188' })
  const field = screen.getByLabelText<HTMLInputElement>('Address of another ComfyUI server')
  fireEvent.change(field, { target: { value: ' http://gpu3:8188' } })
  fireEvent.click(screen.getByRole('button', { name: 'Add server' }))
  await until(() => expect(field.value).toBe(''))
  fireEvent.click(screen.getByRole('button', { name: 'Remove gpu1:8188' }))
  expect(changes()).toHaveLength(3)
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Remove gpu1:8188' }))
  await until(() => expect(changes()).toHaveLength(4))
  const [one, two] = [1, 2].map((number) => aServer(number).address)
  expect(changes()).toEqual([
    { kind: 'drain', address: one },
    { kind: 'resume', address: two },
    { kind: 'add', address: 'http://gpu3:8188' },
    { kind: 'remove', address: one },
  ])
  expect(store.getState().notices).toEqual([])
})

test('an address where no server answers is added with a warning', async () => {
  const { store } = card([aServer(1)], {
    endpointServerChange: { servers: [aServer(1), aServer(2)], warning: 'No ComfyUI server answers at gpu2:8188.' },
  })
  fireEvent.change(await screen.findByLabelText('Address of another ComfyUI server'), {
    target: { value: 'http://gpu2:8188' },
  })
  fireEvent.click(screen.getByRole('button', { name: 'Add server' }))
  await until(() => expect(store.getState().notices[0]?.text).toBe('No ComfyUI server answers at gpu2:8188.'))
  expect(screen.getByText('gpu2:8188')).toBeTruthy()
})

test('servers are read again when a worker of the endpoint changes', async () => {
  let state: EndpointServer['state'] = 'ready'
  const { store } = card([], { endpointServers: () => ({ servers: [aServer(1, { state }), aServer(2)] }) })
  await until(() => expect(screen.getAllByText('Takes graphs')).toHaveLength(2))
  state = 'draining'
  const worker = aWorker('w1', 'farm')
  act(() =>
    store
      .getState()
      .beginWith({ eventId: 1, at: NOW, endpoints: [anEndpoint('farm')], workers: [worker], command: '' }),
  )
  await screen.findByText('Draining')
})

test('a refused address stays in its field, and the reason is reported', async () => {
  const { store } = card([aServer(1, { state: 'only' })], {
    endpointServerChange: () => Promise.reject(new Error('gpu1:8188 is there twice.')),
  })
  await screen.findByText('The only server')
  expect(screen.queryByRole('button', { name: /^(Drain|Remove)/ })).toBeNull()
  const field = screen.getByLabelText<HTMLInputElement>('Address of another ComfyUI server')
  fireEvent.change(field, { target: { value: 'http://gpu1:8188' } })
  fireEvent.click(screen.getByRole('button', { name: 'Add server' }))
  await until(() => expect(store.getState().notices[0]).toMatchObject({ kind: 'error', text: /twice/ }))
  expect(field.value).toBe('http://gpu1:8188')
})

test('a key with the role read sees servers without buttons', async () => {
  card([aServer(1), aServer(2)], { info: { role: 'read' } })
  await screen.findAllByText('Takes graphs')
  await until(() => expect(screen.queryByRole('button', { name: /Add|Drain|Remove/ })).toBeNull())
})
