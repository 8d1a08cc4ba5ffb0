import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { endpointConfig } from '../../../../src-main/contract/endpoint.ts'
import { openStorage } from '../../../../src-main/storage/open-storage.ts'

const WORDS = ['keel', 'keels', 'Keelson', 'sail', 'sailor', 'größe', 'ship']
// More words that begin with a letter than are named in a search.
const MANY = 40
const MOMENT = { now: 1, steady: 1 }
const NONE = { s3Config: undefined, webhook: undefined, idempotencyKey: undefined, lowPriority: false }
const TIMES = { executionTimeoutMs: 1000, ttlMs: 1000, retentionMs: 1000 }

async function setup() {
  const { jobs, endpoints, search, write, close } = openStorage(':memory:')
  const indexed = (most: number) => write(() => search.catchUp(most))
  onTestFinished(close)
  const texts = new Map<number, string>()
  await write(() => {
    const endpoint = { paused: false, keyHash: new Uint8Array(32), revision: 1, createdAt: 1, updatedAt: 1 }
    endpoints.save({ ...endpoint, id: 'e', config: endpointConfig.parse({ name: 'e', command: 'true' }) }, 'created', 1)
    for (let n = 0; n < 300; n++) {
      const text = `${WORDS[n % 7]} ${WORDS[n % 5]} z${n % MANY}`
      const input = JSON.stringify({ prompt: text })
      const { seq } = jobs.insert({ id: `job ${n}`, endpointId: 'e', input, ...TIMES, ...NONE }, MOMENT)
      texts.set(seq, text)
    }
    search.catchUp(1000)
  })
  const found = async (text: string, limit = 500) => (await jobs.search({ text, limit })).map(({ seq }) => seq)
  const count = async (text: string) => (await jobs.countFound({ text })).count
  const ids = async (text: string, more = {}) => {
    const found = (await jobs.search({ text, limit: 500, ...more })).map(({ id }) => id)
    expect(await count(text)).toBe(found.length)
    return found
  }
  const add = (id: string, input: object = { text: 'anchor' }) =>
    write(() => jobs.insert({ id, endpointId: 'e', input: JSON.stringify(input), ...TIMES, ...NONE }, MOMENT).seq)
  const move = (
    seq: number,
    event: 'claim' | 'complete' | 'fail' | 'retry',
    fields: { output?: string; error?: string } = {},
  ) => write(() => jobs.move(seq, event, { workerId: 'w', ...fields }, MOMENT))
  return { texts, found, count, ids, add, move, indexed }
}

it('a job that has gone on since is found by what it is now, and written once', async () => {
  const { found, add, move, indexed } = await setup()
  const [ended, runs, tried] = [await add('ended'), await add('runs'), await add('tried')]
  for (const seq of [ended, runs, tried]) await move(seq, 'claim')
  await move(tried, 'fail', { output: '"rust"' })
  await move(tried, 'retry')
  await move(ended, 'complete', { output: '"chain"' })
  // Of the submits those of the two that have not ended, and of the ends the one that nobody took back.
  expect(await indexed(1)).toBe(true)
  expect(await found('anchor')).toEqual([runs])
  expect(await indexed(1)).toBe(true)
  expect(await found('anchor')).toEqual([tried, runs])
  expect(await indexed(10)).toBe(false)
  expect(await found('anchor')).toEqual([tried, runs, ended])
  expect([await found('chain'), await found('rust')]).toEqual([[ended], []])
  await move(runs, 'complete', { output: '"chain"' })
  await indexed(10)
  expect(await found('chain')).toEqual([runs, ended])
})

it('finds jobs by the beginnings of words, few or many, and by short ones as a whole, newest first', async () => {
  const { texts, found, count } = await setup()
  for (const typed of [
    'keel',
    'KEEL',
    'keels',
    'kee sai',
    'keelso sailor',
    'z',
    'z1',
    'ship z3',
    'größ',
    'grosse',
    'no',
  ]) {
    const begins = typed.toLowerCase().split(' ')
    const isFound = (text: string) => {
      const words = text.toLowerCase().replace('größe', 'große').split(' ')
      return begins.every((begin) =>
        words.some((word) => (begin.length < 3 ? word === begin : word.startsWith(begin.replace('ö', 'o')))),
      )
    }
    const wanted = [...texts].filter(([, text]) => isFound(text)).map(([seq]) => seq)
    expect({ typed, found: await found(typed) }).toEqual({ typed, found: wanted.reverse() })
    expect(await found(typed, 3)).toEqual(wanted.slice(0, 3))
    expect(await count(typed)).toBe(wanted.length)
  }
})

it.each([
  ['"s":7', ['whole', 'longer']],
  ['"s": 7', ['whole', 'longer']],
  ['s 7', ['whole', 'point']],
  ['"s":4', []],
  ['slept":4', ['slept']],
  ['pt":4', ['slept']],
  ['a4', []],
  ['7', ['whole', 'point']],
  ['two', ['lines']],
  ['"two"', ['lines']],
  ['naïve', ['lines']],
  ['step_count', ['camel']],
  ['stepCount', ['camel']],
  ['step_count 12', ['camel']],
  ['step_count:', []],
  ['s,7', []],
  ['12, s', []],
  ['LoRA', ['case']],
  ['lora', ['case']],
  ['GPUs', ['case']],
  ['oR', ['case']],
  ['volc', ['case']],
  ['Öl', []],
  ['nai\u0308ve', ['lines']],
  ['?!', []],
])('%j finds only jobs whose texts contain it: %j', async (typed, names) => {
  const inputs = {
    whole: { s: 7 },
    longer: { s: 71 },
    point: { s: 0.7 },
    slept: { slept: 41, s: 0.1 },
    lines: { text: 'one\ntwo "two" na\u00efve' },
    camel: { stepCount: 12 },
    case: { text: 'LoRA volcano GPUs oR' },
  }
  const { add, indexed, ids } = await setup()
  for (const [name, input] of Object.entries(inputs)) await add(`${name}-7a4f-4b6e-a4c1-47a4c1d2e3f4-l1`, input)
  await indexed(100)
  expect(await ids(typed)).toEqual(names.map((name) => `${name}-7a4f-4b6e-a4c1-47a4c1d2e3f4-l1`).reverse())
})

it('a job is found by its id or the end of it, typed alone', async () => {
  const { add, indexed, ids } = await setup()
  const [id, other] = ['6a0d1f3f-7a4f-4b6e-a4c1-47a4c1d2e3f4-l1', 'sync-6a0d1f3f-7a4f-4b6e-a4c1-47a4c1d2e3f5-l1']
  for (const one of [id, other]) await add(one)
  await indexed(100)
  for (const typed of [id, id.slice(0, -3), 'd2e3f4', 'C1D2E3F4', 'a4c1-47a4c1d2e3f4'])
    expect(await ids(typed)).toEqual([id])
  expect(await ids(other)).toEqual([other])
  for (const typed of ['6a0d1f3f', 'e3f4', '00d2e3f4', 'd2e3f4 anchor']) expect(await ids(typed)).toEqual([])
})

it('phrases in errors are found only among the jobs that contain every word', async () => {
  const { add, indexed, move, ids } = await setup()
  for (const [id, error] of [
    ['one', 'slept a:4'],
    ['other', 'a 4'],
  ] as const) {
    const seq = await add(id)
    await move(seq, 'claim')
    await move(seq, 'fail', { error })
  }
  await indexed(100)
  expect(await ids('a:4', { phraseFirst: true })).toEqual(['one'])
  expect(await ids('sl', { phraseFirst: true })).toEqual([])
})

/** More jobs than are looked through at once. */
async function setupMany() {
  const { jobs, endpoints, search, write, close } = openStorage(':memory:')
  onTestFinished(close)
  const all = Array.from({ length: 5500 }, (_job, n) => ({
    n,
    ends: n % 3 === 1,
    failed: n % 2 === 0,
    phrase: n % 5 === 0,
  }))
  await write(() => {
    const endpoint = { paused: false, keyHash: new Uint8Array(32), revision: 1, createdAt: 1, updatedAt: 1 }
    const config = endpointConfig.parse({ name: 'e', command: 'true' })
    endpoints.save({ ...endpoint, id: 'e', config }, 'created', 1)
    for (const { n, ends, failed, phrase } of all) {
      const input = JSON.stringify(ends ? 'keel.' : 'keel')
      const { seq } = jobs.insert({ id: `job ${n}`, endpointId: 'e', input, ...TIMES, ...NONE }, MOMENT)
      if (!failed) continue
      jobs.move(seq, 'claim', { workerId: 'w' }, MOMENT)
      jobs.move(seq, 'fail', { workerId: 'w', error: phrase ? 'keel' : 'rust' }, MOMENT)
    }
  })
  while (await write(() => search.catchUp(1000)));
  const wanted = all.filter(({ ends }) => ends).toReversed()
  const numbers = (some: readonly { readonly n: number }[]) => some.map(({ n }) => `job ${n}`)
  const found = async (more: Omit<Parameters<typeof jobs.search>[0], 'text'>) =>
    (await jobs.search({ text: 'keel.', ...more })).map(({ id }) => id)
  return { jobs, write, wanted, numbers, found }
}

it('words with punctuation are looked up in as many turns as it takes, with the same result', async () => {
  const { jobs, wanted, numbers, found } = await setupMany()
  expect(await found({ limit: 9999 })).toEqual(numbers(wanted))
  expect(await found({ limit: 9999, oldestFirst: true })).toEqual(numbers(wanted.toReversed()))
  expect(await found({ limit: 50, offset: 1500 })).toEqual(numbers(wanted.slice(1500, 1550)))
  const failed = wanted.filter((job) => job.failed)
  expect(await found({ limit: 9999, states: ['FAILED'], before: 4001, after: 1000 })).toEqual(
    numbers(failed.filter(({ n }) => n < 4000 && n >= 1000)),
  )
  expect(await found({ limit: 9999, workerId: 'w' })).toEqual(numbers(failed))
  const first = failed.filter(({ phrase }) => phrase)
  const phrasesFirst = [...first, ...wanted.filter((job) => !first.includes(job))]
  expect(await found({ limit: 300, offset: 50, phraseFirst: true })).toEqual(numbers(phrasesFirst.slice(50, 350)))
  expect(await jobs.countFound({ text: 'keel.' })).toEqual({ count: wanted.length, more: false })
  expect(await jobs.countByState({ text: 'keel.' })).toMatchObject({
    FAILED: { count: failed.length, more: false },
    IN_QUEUE: { count: wanted.length - failed.length, more: false },
  })
})

it('a search finds the jobs that are in its state at its end, as many as it is to find', async () => {
  const { jobs, write, wanted, numbers, found } = await setupMany()
  const [newest, ...others] = wanted.filter(({ failed }) => !failed)
  const { seq = 0 } = jobs.find(`job ${newest?.n}`) ?? {}
  let isLooking = true
  const searching = found({ limit: 900, states: ['IN_QUEUE'] }).finally(() => {
    isLooking = false
  })
  // The first ones are looked through in the second turn.
  for (let turn = 0; turn < 3; turn++) await nextTurn()
  await write(() => jobs.move(seq, 'claim', { workerId: 'w' }, MOMENT))
  expect(isLooking).toBe(true)
  expect(await searching).toEqual(numbers(others.slice(0, 900)))
})

it('a search looks through no more texts once nobody waits for it', async () => {
  const { wanted, found } = await setupMany()
  const gone = new AbortController()
  const searching = found({ limit: 9999, signal: gone.signal })
  for (let turn = 0; turn < 3; turn++) await nextTurn()
  gone.abort()
  expect((await searching).length).toBeLessThan(wanted.length / 2)
})

it('a step of the search index is bounded by the words of its jobs, not by their number alone', async () => {
  const { jobs, endpoints, search, write, close } = openStorage(':memory:')
  onTestFinished(close)
  const long = Array.from({ length: 3000 }, (_word, at) => `word${at}`).join(' ')
  await write(() => {
    const endpoint = { paused: false, keyHash: new Uint8Array(32), revision: 1, createdAt: 1, updatedAt: 1 }
    const config = endpointConfig.parse({ name: 'e', command: 'true' })
    endpoints.save({ ...endpoint, id: 'e', config }, 'created', 1)
    for (let n = 0; n < 4; n++) {
      const job = { id: `job ${n}`, endpointId: 'e', input: JSON.stringify({ long }) }
      jobs.insert({ ...job, ...TIMES, ...NONE }, MOMENT)
    }
  })
  expect(await write(() => search.catchUp(100))).toBe(true)
  expect((await jobs.countFound({ text: 'word1' })).count).toBe(2)
  expect([await write(() => search.catchUp(100)), search.behind()]).toEqual([false, false])
})
