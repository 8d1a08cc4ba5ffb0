import { describe, expect, it } from 'vitest'
import {
  chooseJobs,
  LOADED_SERVER_WAIT_MS,
  OVERTAKE_MS,
  type ServerFacts,
  type WaitingGraph,
  whyServersWait,
} from '../../../../src-main/features/workers/rules/choose-job.ts'

const MODELS = ['a', 'b', 'c', 'd']

function server(number: number, more: Partial<ServerFacts> & { lacks?: string } = {}): ServerFacts {
  const { lacks, ...rest } = more
  const has = {
    classes: new Set(['Save', 'Special'].filter((name) => name !== lacks)),
    models: new Set(MODELS.filter((name) => name !== lacks)),
  }
  return {
    ...{ number, name: `host${number}`, isDrained: false, awayBecause: undefined, has, loaded: [], busy: undefined },
    lostWith: new Set(),
    ...rest,
  }
}

const graph = (seq: number, model: string, more: Partial<WaitingGraph> = {}): WaitingGraph => ({
  ...{ seq, lowPriority: 0, priority: 0, queuedAt: 0, isPlaced: false },
  needs: { classes: ['Save'], models: [model] },
  ...more,
})

const choose = (waiting: readonly WaitingGraph[], servers: readonly ServerFacts[], now = 0) =>
  chooseJobs(waiting, {
    ...{ servers, now },
    free: new Set(servers.flatMap(({ number, busy }) => (busy === undefined ? number : []))),
  })

const pairs = (...given: Parameters<typeof choose>) =>
  choose(...given).choices.map(({ seq, number }) => `${seq} on ${number}`)

it('graphs are chosen anew when what a server has changes', () => {
  const special = graph(1, 'a', { needs: { classes: ['Special'], models: [] } })
  expect(pairs([special], [server(1, { lacks: 'Special' }), server(2)])).toEqual(['1 on 2'])
  expect(pairs([special], [server(1), server(2, { lacks: 'Special' })])).toEqual(['1 on 1'])
})

it('a graph goes to a server that was not lost with it, if one answers', () => {
  const lost = server(1, { lostWith: new Set([7]) })
  expect(pairs([graph(7, 'a'), graph(8, 'a')], [lost, server(2)]).toSorted()).toEqual(['7 on 2', '8 on 1'])
  expect(pairs([graph(7, 'a')], [lost, server(2, { busy: { since: 0, loads: false } })])).toEqual([])
  expect(pairs([graph(7, 'a')], [lost, server(2, { awayBecause: 'does not answer' })])).toEqual(['7 on 1'])
})

describe('a free server takes', () => {
  it('the first graph whose models it has loaded, else the first one of the models that most wait for', () => {
    expect(pairs([graph(1, 'b'), graph(2, 'a')], [server(1, { loaded: ['a'] })])).toEqual(['2 on 1'])
    expect(pairs([graph(1, 'b'), graph(2, 'a'), graph(3, 'a')], [server(1)])).toEqual(['2 on 1'])
    const four = [1, 2, 3, 4].map((number) => server(number))
    const mixed = [...'aabbccdd'].map((model, at) => graph(at, model))
    expect(pairs(mixed, four).toSorted()).toEqual(['0 on 1', '2 on 2', '4 on 3', '6 on 4'])
  })

  it('all graphs of the same models, if there are no others', () => {
    const four = [1, 2, 3, 4].map((number) => server(number))
    expect(
      pairs(
        [1, 2, 3, 4].map((seq) => graph(seq, 'a')),
        four,
      ).length,
    ).toBe(4)
  })

  it('no graph of a higher priority later than one of a lower priority, and none before one placed by hand', () => {
    const loaded = server(1, { loaded: ['a'] })
    expect(pairs([graph(2, 'b', { priority: 1 }), graph(1, 'a')], [loaded])).toEqual(['2 on 1'])
    expect(pairs([graph(2, 'b'), graph(1, 'a', { lowPriority: 1 })], [loaded])).toEqual(['2 on 1'])
    expect(pairs([graph(2, 'b', { isPlaced: true }), graph(1, 'a')], [loaded])).toEqual(['2 on 1'])
  })

  it('no graph before one that was queued more than a minute earlier', () => {
    const loaded = server(1, { loaded: ['a'] })
    expect(pairs([graph(1, 'b'), graph(2, 'a', { queuedAt: OVERTAKE_MS })], [loaded])).toEqual(['2 on 1'])
    expect(pairs([graph(1, 'b'), graph(2, 'a', { queuedAt: OVERTAKE_MS + 1 })], [loaded])).toEqual(['1 on 1'])
  })

  it('the next graph of a busy server with its models only when that takes long, or has another one next', () => {
    const busy = server(1, { loaded: ['a'], busy: { since: 0, loads: false } })
    expect(choose([graph(1, 'a')], [busy, server(2)])).toEqual({ choices: [], againAt: LOADED_SERVER_WAIT_MS })
    expect(pairs([graph(1, 'a')], [busy, server(2)], LOADED_SERVER_WAIT_MS)).toEqual(['1 on 2'])
    expect(pairs([graph(1, 'a'), graph(2, 'a')], [busy, server(2)])).toEqual(['2 on 2'])
  })

  it('no graph with something that it lacks and another one has, even if that one is busy, away or has not been read yet', () => {
    const lacking = server(1, { lacks: 'Special' })
    const special = graph(1, 'a', { needs: { classes: ['Special'], models: ['a'] } })
    for (const other of [{ busy: { since: 0, loads: true } }, { awayBecause: 'is away' }, { has: undefined }])
      expect(pairs([special], [lacking, server(2, other)])).toEqual([])
    expect(pairs([special], [lacking, server(2)])).toEqual(['1 on 2'])
    expect(pairs([graph(1, 'b')], [server(1, { lacks: 'b' }), server(2)])).toEqual(['1 on 2'])
    expect(pairs([special], [lacking, server(2, { lacks: 'Special' })])).toEqual(['1 on 1'])
  })

  it('no graph while it is away, drained or has not been read yet', () => {
    for (const facts of [{ awayBecause: 'is away' }, { isDrained: true }, { has: undefined }])
      expect(pairs([graph(1, 'a')], [server(1, facts), server(2, { isDrained: true })])).toEqual([])
  })
})

it('a wait for a server is explained by each server that cannot take the graph', () => {
  const special = { classes: ['Special'], models: ['a'] }
  const lacking = server(2, { lacks: 'Special' })
  expect(whyServersWait(special, [server(1, { isDrained: true }), lacking])).toEqual({
    ...{ text: 'Server 1 (host1) is drained. Server 2 (host2) lacks node class Special.' },
    ...{ needsChange: true, isWhole: true },
  })
  expect(whyServersWait(special, [server(1, { awayBecause: 'does not answer' }), lacking])).toMatchObject({
    ...{ text: 'Server 1 (host1) does not answer. Server 2 (host2) lacks node class Special.', needsChange: false },
  })
  const busy = server(1, { loaded: ['a'], busy: { since: 0, loads: false } })
  expect(whyServersWait({ classes: [], models: ['a'] }, [busy, server(2)])?.text).toBe(
    'Server 1 (host1) has its models loaded and is busy.',
  )
  expect(whyServersWait(special, [server(1), server(2)])).toBe(undefined)
})

/** Runs all graphs on servers that take graphs as the rule says. @param runMs how long a graph runs @returns model loads */
function simulate(waiting: readonly WaitingGraph[], servers: number, runMs: () => number) {
  let left = waiting
  let [loads, idleWhileWaiting, now] = [0, 0, 0]
  const all = new Map(Array.from({ length: servers }, (_, at) => [at + 1, server(at + 1)]))
  const ends = new Map<number, number>()
  while (left.length > 0 || ends.size > 0) {
    const free = new Set([...all.keys()].filter((number) => !ends.has(number)))
    const { choices, againAt } = chooseJobs(left, { servers: [...all.values()], free, now })
    for (const { seq, number } of choices) {
      const [model = ''] = left.find((one) => one.seq === seq)?.needs?.models ?? []
      const facts = all.get(number) ?? server(number)
      const isLoaded = facts.loaded.includes(model)
      loads += isLoaded ? 0 : 1
      all.set(number, { ...facts, loaded: [model], busy: { since: now, loads: !isLoaded } })
      ends.set(number, now + runMs())
      left = left.filter((one) => one.seq !== seq)
    }
    // A graph that is next on a server with its models waits for that one.
    idleWhileWaiting += Math.max(0, Math.min(free.size - choices.length, left.length - ends.size))
    const next = Math.min(...ends.values(), againAt ?? Number.POSITIVE_INFINITY)
    now = next
    for (const [number, end] of ends) {
      if (end > now) continue
      ends.delete(number)
      all.set(number, { ...(all.get(number) ?? server(number)), busy: undefined })
    }
  }
  return { loads, idleWhileWaiting }
}

function randomOf(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

describe('four servers with 20 graphs of each of four models', () => {
  const FAMILIES = 4
  it.each([0, 0.2, 0.5])('load models at most 1.2 times as often as possible, spread of run times %d', (spread) => {
    const counts = Array.from({ length: 50 }, (_, seed) => {
      const random = randomOf(seed)
      const order = Array.from({ length: 80 }, (__, at) => ({ at, key: random() })).toSorted((a, b) => a.key - b.key)
      const graphs = order.map(({ at }, seq) => graph(seq, MODELS[at % FAMILIES] ?? ''))
      return simulate(graphs, 4, () => 5000 * (1 - spread + 2 * spread * random()))
    })
    expect(counts.reduce((sum, { idleWhileWaiting }) => sum + idleWhileWaiting, 0)).toBe(0)
    const mean = counts.reduce((sum, { loads }) => sum + loads, 0) / counts.length
    expect(mean / FAMILIES).toBeLessThanOrEqual(1.2)
  })
})
