/** Jobs that were made to fill the memory of the sketch worker, or to hold it up for ever. */
import { describe, expect, it } from 'vitest'
import { type Nodes, run, textToPicture } from './graphs.ts'

describe('a graph is refused at its node', () => {
  const plain = (value: number) => ({ class_type: 'PrimitiveInt', inputs: { value } })
  const linked = (id: string, input: string, value: number): Nodes => {
    const nodes = textToPicture()
    Object.assign(nodes[id]?.inputs ?? {}, { [input]: ['20', 0] })
    return { ...nodes, 20: plain(value) }
  }
  const doubled = (): Nodes => {
    const nodes: Nodes = {
      0: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } },
      99: { class_type: 'SaveImage', inputs: { filename_prefix: 'a', images: ['40', 0] } },
    }
    for (let at = 1; at <= 40; at += 1)
      nodes[at] = { class_type: 'ImageBatch', inputs: { image1: [String(at - 1), 0], image2: [String(at - 1), 0] } }
    return nodes
  }
  const cases: readonly [string, Nodes, object][] = [
    ['a width that comes along a link', linked('5', 'width', 1e9), { node: '5', input: 'width' }],
    ['a batch that comes along a link', linked('5', 'batch_size', 1e6), { node: '5', input: 'batch_size' }],
    ['steps that come along a link', linked('3', 'steps', 1e9), { node: '3', input: 'steps' }],
    ['a batch that doubles', doubled(), { class: 'ImageBatch', message: expect.stringContaining('too many') }],
  ]
  it.each(cases)('%s', async (_what, nodes, error) => {
    expect(await run(nodes)).toMatchObject({ error })
  })
})

it('prompts that are put together forty times stay prompts', async () => {
  const nodes = textToPicture()
  for (let at = 0; at < 40; at += 1) {
    const before = [at === 0 ? '6' : `c${at - 1}`, 0]
    nodes[`c${at}`] = { class_type: 'ConditioningCombine', inputs: { conditioning_1: before, conditioning_2: before } }
  }
  Object.assign(nodes[3]?.inputs ?? {}, { positive: ['c39', 0] })
  expect((await run(nodes)).images).toHaveLength(1)
})

it('a prompt of a million words is drawn as its beginning', async () => {
  expect((await run(textToPicture({ prompt: '(cat '.repeat(1_000_000), steps: 1 }))).images).toHaveLength(1)
})
