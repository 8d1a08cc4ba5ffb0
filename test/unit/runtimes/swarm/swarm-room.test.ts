import { describe, expect, test } from 'vitest'
import { containerSettings } from '../../../../src-main/contract/container.ts'
import type { SwarmNode } from '../../../../src-main/runtimes/swarm/swarm-nodes.ts'
import { cardWish, createRefusedWishes, mayTake, noRoom } from '../../../../src-main/runtimes/swarm/swarm-room.ts'
import { environmentScript } from '../../../../src-main/runtimes/swarm/worker-service.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'

const node = (name: string, count = 0, labels = {}, { state = 'ready', problem = '' } = {}): SwarmNode => ({
  ...{ id: name, name, role: 'worker', state, labels, reason: undefined, agent: undefined, cpus: 1, memoryBytes: 0 },
  cards: count === 0 ? [] : [{ kind: 'NVIDIA-GPU', count }],
  engine: { wasConnected: () => true, problem: () => problem || undefined } as SwarmNode['engine'],
})
const wish = (gpu: string | undefined, gpuCount = 1, gpuShared = false) => ({ gpu, gpuCount, gpuShared })

describe('room on the nodes of a swarm', () => {
  const drained = node('a', 0, {}, { state: 'drained' })
  const down = node('b', 0, {}, { state: 'down' })
  const silent = node('c', 0, {}, { problem: 'it does not answer' })
  const on = (name: string) => containerSettings.parse({ image: 'i', placement: [`node.hostname==${name}`] })

  test('is there while one of them takes workers', () => {
    expect(noRoom(undefined, [drained, node('d')])).toBeUndefined()
  })

  test('says of each why it takes none', () => {
    const reason = 'no suitable node: a is drained; node b is down; node c does not answer'
    expect(noRoom(undefined, [drained, down, silent])).toEqual({ free: 0, reason, isAway: true })
    expect(noRoom(undefined, [drained])).toEqual({ free: 0, reason: 'no suitable node: a is drained', isAway: false })
  })

  test('is looked for only on nodes that the placement allows, and the scheduler says if there are none', () => {
    const nodes = [down, silent, node('d')]
    expect(noRoom(on('c'), nodes)).toEqual({
      free: 0,
      reason: 'no suitable node: node c does not answer',
      isAway: true,
    })
    expect(noRoom(on('d'), nodes)).toBeUndefined()
    expect(noRoom(on('nowhere'), nodes)).toBeUndefined()
  })
})

describe('a wish that the scheduler refused', () => {
  const refusal = { free: 0, reason: 'no suitable node' }

  test('may be tried again after 5 s without a change of the nodes', async () => {
    const time = createFakeClock()
    let told = 0
    const refused = createRefusedWishes(time, () => {
      told += 1
    })
    refused.refuse({}, refusal)
    await time.advance(4999)
    expect({ told, room: refused.roomFor({}) }).toEqual({ told: 0, room: refusal })
    await time.advance(1)
    expect({ told, room: refused.roomFor({}) }).toEqual({ told: 1, room: undefined })
  })

  test('may be tried again as soon as the nodes change, and a later refusal has its own 5 s', async () => {
    const time = createFakeClock()
    const refused = createRefusedWishes(time, () => undefined)
    refused.refuse({}, refusal)
    await time.advance(4000)
    refused.forget()
    expect(refused.roomFor({})).toBeUndefined()
    const later = { ...refusal }
    refused.refuse({}, later)
    await time.advance(4999)
    expect(refused.roomFor({})).toBe(later)
  })
})

describe('the nodes that constraints leave to a worker', () => {
  const one = { id: 'n1', name: 'Box', role: 'worker', labels: { zone: 'lab' } } as const
  test.each([
    ['node.role==worker', true],
    ['node.role != worker', false],
    ['node.hostname==box', true],
    ['node.id!=n1', false],
    ['node.labels.zone==lab', true],
    ['node.labels.zone!=lab', false],
    ['node.labels.disk!=slow', true],
    ['node.labels.disk==fast', false],
    ['engine.labels.os==any', true],
    ['what nobody knows', true],
  ])('by %s: %s', (constraint, may) => {
    expect(mayTake(one, [constraint])).toBe(may)
    expect(mayTake(one, ['node.id==n1', constraint])).toBe(may)
  })
})

describe('cards of a swarm', () => {
  test('are not asked for where none is wanted', () => {
    expect(cardWish(wish(undefined), [node('a')])).toBeUndefined()
  })

  test('are generic resources, and a named card is a label of the node as well', () => {
    const cards = { kind: 'NVIDIA-GPU', count: 1 }
    expect(cardWish(wish('ANY'), [node('a', 1)])).toEqual({ cards, constraints: [] })
    const labelled = [node('a', 1, { 'drydock.gpu': 'ADA_24' })]
    expect(cardWish(wish('ADA_24'), labelled)).toEqual({ cards, constraints: ['node.labels.drydock.gpu==ADA_24'] })
  })

  test('that no node provides are refused with what to configure', () => {
    expect(cardWish(wish('ANY'), [node('a')])).toMatchObject({
      reason: expect.stringContaining('node-generic-resources'),
    })
    expect(cardWish(wish('ADA_24'), [node('a', 1)])).toMatchObject({
      reason: expect.stringContaining('docker node update --label-add drydock.gpu=ADA_24 NODE'),
    })
    expect(cardWish(wish('ANY', 1, true), [node('a', 1)])).toMatchObject({ reason: expect.stringContaining('share') })
  })

  test.each([
    [1, undefined],
    [2, undefined],
    [3, 'a worker wants 3 GPUs, and no node offers more than 2'],
  ])('%i of one node with two', (count, reason) => {
    const found = cardWish(wish('ANY', count), [node('a', 2), node('b', 1)])
    expect(found !== undefined && 'reason' in found ? found.reason : undefined).toBe(reason)
  })
})

test('variables in a secret stand for themselves, whatever is in them', () => {
  expect(environmentScript(['A=b', "B=it's $HOME\nand more", 'C=x=y'])).toBe(
    "export A='b'\nexport B='it'\\''s $HOME\nand more'\nexport C='x=y'\n",
  )
})
