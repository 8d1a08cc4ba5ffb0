import { describe, expect, it } from 'vitest'
import { advance, nothingDone, progressValue } from '../../../../resources/node/comfyui/progress/progress.ts'
import { readPreview, readServerMessage } from '../../../../resources/node/comfyui/progress/server-message.ts'
import { readExchange } from '../../../support/comfyui/exchange.ts'

type Message = { readonly type: string; readonly data: object }

/** The values after each message, each once. */
function valuesAfter(nodes: string, messages: readonly (Message | string)[]) {
  let progress = nothingDone(nodes.split(''))
  const values: unknown[] = []
  for (const message of messages) {
    const read = readServerMessage(typeof message === 'string' ? message : JSON.stringify(message))
    const next = read === undefined ? progress : advance(progress, read)
    if (next !== progress) values.push(progressValue(next))
    progress = next
  }
  return values
}

const message = (type: string, data: object): Message => ({ type, data })
const states = (nodes: object) => message('progress_state', { nodes })

describe('progress', () => {
  it('of a real run has each step, and ends with all nodes', () => {
    const texts = readExchange('sampling').socket.flatMap((one) => ('text' in one ? [one.text] : []))
    const values = valuesAfter('3456789', texts) as { node?: string; step?: number; done: string[] }[]
    const steps = values.filter(({ node }) => node === '3').map(({ step }) => step)
    expect([...new Set(steps)]).toEqual([undefined, 1, 2, 3, 4, 5, 6])
    expect(values.at(-1)?.done.toSorted()).toEqual(['3', '4', '5', '6', '7', '8', '9'])
  })

  it('of an older server: a node has ended when the next one begins', () => {
    expect(
      valuesAfter('123', [
        message('execution_cached', { nodes: ['1'] }),
        message('executing', { node: '2' }),
        message('progress', { value: 1, max: 4 }),
        message('executing', { node: '3' }),
      ]),
    ).toEqual([
      { done: ['1'], cached: ['1'] },
      { node: '2', done: ['1'], cached: ['1'] },
      { node: '2', step: 1, steps: 4, done: ['1'], cached: ['1'] },
      { node: '3', done: ['1', '2'], cached: ['1'] },
    ])
  })

  it('of nodes that run at the same time: only those that have ended are done', () => {
    const running = { state: 'running', value: 0, max: 1 }
    const values = valuesAfter('12', [
      states({ '1': running }),
      message('executing', { node: '1' }),
      states({ '1': running, '2': running }),
      message('executing', { node: '2' }),
      states({ '1': { state: 'finished' }, '2': running }),
    ])
    expect(values.at(-2)).toEqual({ node: '2', done: [] })
    expect(values.at(-1)).toEqual({ node: '2', done: ['1'] })
  })

  it('of nodes that a node has put in its place is that of the node', () => {
    const inner = { display_node_id: '1', value: 2, max: 5 }
    const values = valuesAfter('1', [
      states({ '1.0.1': { ...inner, state: 'running' } }),
      states({ '1.0.1': { ...inner, state: 'finished' } }),
      message('executing', { node: '1.0.2', display_node: '1' }),
    ])
    expect(values.at(-1)).toEqual({ node: '1', step: 2, steps: 5, done: [] })
  })
})

describe('a preview', () => {
  const head = (...words: number[]) => Buffer.from(Uint32Array.from(words, (word) => word).buffer).swap32()

  it('of the older form names no node', () => {
    expect(readPreview(Buffer.concat([head(1, 2), Buffer.from('p')]))).toEqual({
      ...{ node: undefined, promptId: undefined, type: 'image/png', picture: Buffer.from('p') },
    })
  })

  it('of the newer form names the node that is shown', () => {
    const facts = Buffer.from('{"node_id":"1.2","display_node_id":"1","prompt_id":"p","image_type":"image/jpeg"}')
    expect(readPreview(Buffer.concat([head(4, facts.length), facts, Buffer.from('j')]))).toEqual({
      ...{ node: '1', promptId: 'p', type: 'image/jpeg', picture: Buffer.from('j') },
    })
  })

  it.each([
    ['too short', Buffer.from([0, 0, 0, 1])],
    ['of another kind', head(3, 1)],
    ['with facts that end early', head(4, 50)],
    ['with facts that are none', Buffer.concat([head(4, 2), Buffer.from('x{')])],
  ])('that is %s is none', (_name, bytes) => {
    expect(readPreview(bytes)).toBe(undefined)
  })
})
