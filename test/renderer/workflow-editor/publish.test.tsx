/** The form of a graph, and the sheet of a sweep. */
import { act, fireEvent, screen } from '@testing-library/react'
import { expect, onTestFinished, test } from 'vitest'
import type { JsonValue } from '../../../src-main/lib/json/value.ts'
import { ADDRESS } from '../../../src-renderer/addresses.ts'
import { OverviewTab } from '../../../src-renderer/features/endpoints/OverviewTab.tsx'
import { GraphForm } from '../../../src-renderer/features/requests/GraphForm.tsx'
import { PublishForm } from '../../../src-renderer/features/workflow-editor/publish/PublishPanel.tsx'
import { PublishedPages } from '../../../src-renderer/features/workflows/PublishedPages.tsx'
import { SweepPage } from '../../../src-renderer/features/workflows/SweepPage.tsx'
import { ParameterField } from '../../../src-renderer/ui/form/ParameterField.tsx'
import { anEndpoint, giveSizes, NOW, renderInApp } from '../support.tsx'
import { documentOf, renderInEditor } from './widgets-support.tsx'

test.each([
  ['42', { number: '42' }],
  ['18446744073709551615', { number: '18446744073709551615' }],
  ['007', '007'],
  ['+1', '+1'],
  ['', undefined],
])('a number of a form that reads %j is one only where JSON takes it', (typed, wanted) => {
  const values: (JsonValue | undefined)[] = []
  const parameter = { node: '3', input: 'seed', name: 'seed', type: 'integer' } as const
  const props = { parameter, value: { number: '1' }, onFile: () => undefined }
  renderInApp(<ParameterField {...props} onChange={(value) => values.push(value)} />)
  fireEvent.change(screen.getByLabelText('seed'), { target: { value: typed } })
  expect(values).toEqual([wanted])
})

const PROMPT = { node: '4', input: 'text', name: 'prompt', type: 'string', default: '"a lamp"' } as const
const LAMP = anEndpoint('lamp', { graph: { behind: 'sketch', version: 1 } })
const GRAPH = {
  ...{ id: 'lamp', name: 'Lamp', version: 1, versions: [1], behind: 'sketch', parameters: [PROMPT] },
  ...{ url: LAMP.url, results: [], createdAt: NOW },
}

test('the overview of a published graph has the form that runs it', async () => {
  renderInApp(<OverviewTab endpoint={LAMP} isCrashing={false} />, {
    figuresRead: { endpoints: [] },
    publishedRead: GRAPH,
  })
  expect((await screen.findByLabelText<HTMLTextAreaElement>('prompt')).value).toBe('a lamp')
  screen.getByRole('button', { name: 'Run' })
})

test('a published graph whose endpoint was deleted says so and cannot be run', async () => {
  const lamp = { ...LAMP, brokenReason: 'endpoint sketch was deleted.' }
  onTestFinished(giveSizes())
  history.replaceState(null, '', ADDRESS.publishedGraphs)
  onTestFinished(() => history.replaceState(null, '', '/'))
  const { store } = renderInApp(
    <>
      <PublishedPages />
      <GraphForm graph={GRAPH} />
    </>,
    { publishedList: { graphs: [GRAPH] } },
  )
  act(() => store.setState(({ live }) => ({ live: { ...live, endpoints: { lamp } } })))
  const row = await screen.findByRole('row', { name: /^Lamp/ })
  expect(row.textContent).toContain('Broken')
  expect(row.querySelector(`[href="${ADDRESS.endpoint('sketch')}"]`)).toBeNull()
  screen.getByText('Broken: endpoint sketch was deleted.')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Run' }).disabled).toBe(true)
})

test('a run of a sweep that failed says why in words, with its node', async () => {
  const failed = {
    ...{ id: 'r1', endpointId: 'e', title: 'Castle', label: 'steps 2', sweep: 's1', status: 'FAILED' },
    ...{ createdAt: NOW, endedAt: NOW, results: [] },
    errors: ['{"message":"it must be at least 4","node":"3","class":"KSampler","input":"steps"}'],
  }
  renderInApp(<SweepPage sweepId="s1" />, { runList: { runs: [failed], more: false } })
  await screen.findByText('KSampler (3), steps: it must be at least 4')
})

test('a problem that prevents publishing and has no node is shown as it is', () => {
  const problem = {
    code: 'cycle',
    severity: 'error',
    message: 'It is a loop.',
  } as const
  const form = { parameters: [], results: [] }
  renderInEditor(
    <PublishForm name="Castle, at night!" form={form} payload={new Map()} problems={[problem]} />,
    documentOf([]),
  )
  screen.getByText('It is a loop.')
  expect(screen.getByLabelText<HTMLInputElement>('Id').value).toBe('castle-at-night')
})
