import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { EndpointChooser } from '../../../src-renderer/features/workflow-editor/run/EndpointChooser.tsx'
import { anEndpoint } from '../support.tsx'
import { documentOf, renderInEditor } from './widgets-support.tsx'

const ENDPOINTS = {
  painter: anEndpoint('painter', { workflows: { checkModels: true, modelFolders: true } }),
  byImage: anEndpoint('byImage', { handler: undefined, container: { image: 'me/worker-comfyui:5' } as never }),
  hello: anEndpoint('hello', { handler: '/x/handler.py' }),
  web: anEndpoint('web', { loadBalanced: {} as never }),
}

test('endpoints that take graphs are offered, others behind "All endpoints", where one click says that one does', async () => {
  const { store, runs, calls } = renderInEditor(<EndpointChooser />, documentOf([]), {
    answers: { endpointUpdate: {} },
  })
  await act(async () => store.setState(({ live }) => ({ live: { ...live, loaded: true, endpoints: ENDPOINTS } })))
  const names = () => screen.getAllByRole('option').map(({ textContent }) => textContent)
  const press = (name: string) => fireEvent.keyDown(screen.getByRole('option', { name }), { key: 'Enter' })
  const picker = screen.getByRole('combobox', { name: 'Endpoint' })
  // Nobody knows which classes of nodes they have, so none is chosen by itself.
  expect(picker.textContent).toBe('Choose an endpoint')
  fireEvent.keyDown(picker, { key: 'ArrowDown' })
  expect(names()).toEqual(['Choose an endpoint', 'byImage', 'painter', 'All endpoints…'])
  press('All endpoints…')
  expect(names()).toEqual(['Choose an endpoint', 'byImage', 'painter', 'hello'])
  press('hello')
  expect(screen.queryByRole('option')).toBe(null)
  expect(runs.getState().endpointId).toBe('hello')
  fireEvent.click(screen.getByRole('button', { name: 'It takes workflows' }))
  const args = { path: { endpointId: 'hello' }, body: { workflows: {} } }
  await waitFor(() => expect(calls).toContainEqual({ operation: 'endpointUpdate', args }))
})
