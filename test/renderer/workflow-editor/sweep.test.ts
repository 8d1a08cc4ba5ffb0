import { expect, test } from 'vitest'
import { sendSweep } from '../../../src-renderer/features/workflow-editor/publish/SweepPanel.tsx'

test('the runs of a sweep are queued in order, each with its values and its label', async () => {
  const sent: { payload: string; label: string; cell: unknown }[] = []
  const call = async (_operation: string, { body }: { body: { payload: string; label: string; cell: unknown } }) =>
    sent.push(body)
  const counts: number[] = []
  await sendSweep({
    client: { call } as never,
    sweepId: 's',
    endpointId: 'e',
    workflowId: 'w',
    title: 't',
    base: { payload: '{"3":{"class_type":"K","inputs":{"seed":18446744073709551615,"x":1}}}', document: '{}' },
    axes: [{ node: '3', input: 'x', name: 'x', values: [{ number: '1' }, { number: '2' }] }],
    kind: 'grid',
    onQueued: (count) => counts.push(count),
  })
  expect(sent.map(({ label }) => label)).toEqual(['x 1', 'x 2'])
  expect(sent[1]?.payload).toBe('{"3":{"class_type":"K","inputs":{"seed":18446744073709551615,"x":2}}}')
  expect(sent.map(({ cell }) => cell)).toEqual([
    { kind: 'grid', axes: [{ name: 'x', text: '1', at: 0 }] },
    { kind: 'grid', axes: [{ name: 'x', text: '2', at: 1 }] },
  ])
  expect(counts).toEqual([1, 2])
})
